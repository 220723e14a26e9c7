// Reads lab.json. The structure of the file is defined in schema/lab.schema.json. Rules that a schema cannot
// express (names that must exist, thresholds in order) are checked here, too.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files.hpp"
#include "base/spelling.hpp"
#include "lab/counter_names.hpp"
#include "lab/distribution.hpp"
#include "lab/json_reader.hpp"
#include "lab/lab.hpp"
#include "lab/read_questions.hpp"
#include "lab/workload.hpp"

namespace grader {
namespace {

constexpr std::size_t kMaxLabBytes = std::size_t{256} << 10U;
constexpr std::int64_t kMaxSeed = (std::int64_t{1} << 53U) - 1;  // exact in every JSON reader
constexpr const char* kLabSchema = "warpgrade.lab/1";

std::vector<std::string> case_names(const Lab& lab) {
  std::vector<std::string> names;
  for (const Case& one : lab.cases) names.push_back(one.name);
  return names;
}

/// A string that names one of `known`.
std::string reference(const JsonNode& node, const std::vector<std::string>& known, const std::string& kind) {
  std::string name = node.text();
  if (std::find(known.begin(), known.end(), name) == known.end())
    node.refuse(
        fmt::format("names the {} \"{}\", which does not exist{}", kind, name, did_you_mean(name, known)));
  return name;
}

/// The strings of an array; refuses duplicates.
template <class Read>
std::vector<std::string> distinct(const JsonNode& array, Read read) {
  std::vector<std::string> all;
  for (const JsonNode& element : array.elements()) {
    all.push_back(read(element));
    if (std::count(all.begin(), all.end(), all.back()) > 1)
      element.refuse(fmt::format("repeats \"{}\"", all.back()));
  }
  return all;
}

std::string optional_text(const JsonNode& parent, const std::string& key) {
  const auto node = parent.find(key);
  return node ? node->text() : "";
}

std::string source_name(const JsonNode& node) {
  std::string name = node.text();
  const bool has_suffix = name.size() > 3 && name.ends_with(".cu");
  const bool is_plain = std::all_of(name.begin(), name.end() - (has_suffix ? 3 : 0), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
  if (!has_suffix || !is_plain) node.refuse_value("a file name of letters, digits and '_' that ends in .cu");
  return name;
}

// ---- cases

std::map<std::string, std::int64_t> read_device(const JsonNode& node) {
  std::vector<std::string> names;
  for (const DeviceLimit& limit : device_limits()) names.push_back(limit.name);
  node.allow_keys(names);
  std::map<std::string, std::int64_t> device;
  for (const DeviceLimit& limit : device_limits())
    if (const auto value = node.find(limit.name))
      device[limit.name] = value->integer(limit.least, limit.most);
  return device;
}

DeviceKind device_kind(const std::string& word) {
  return word == "cuda" ? DeviceKind::cuda : DeviceKind::virtual_gpu;
}

constexpr std::int64_t kMaxRotations = 256;

/// A call without parameters differs only in its values.
void read_earlier_calls(const JsonNode& list, const std::vector<std::string>& parameters,
                        const Workload& workload, Case& one) {
  for (const JsonNode& call : list.elements()) {
    call.allow_keys(parameters);
    auto& values = one.earlier_calls.emplace_back();
    for (const std::string& name : parameters)
      if (const auto value = call.find(name)) values[name] = value->integer(INT64_MIN, INT64_MAX);
    if (const auto problem = problem_with(workload, earlier_case(one, one.earlier_calls.size() - 1)))
      call.refuse("does not describe a problem: " + *problem);
  }
}

std::string read_other_function(const JsonNode& node, const Workload& workload, const Case& one) {
  std::string name = node.one_of(workload.entries());
  if (name == one.entry) node.refuse("names the case's own function");
  if (!one.earlier_calls.empty()) node.refuse("needs a case without earlier_calls");
  if (const auto problem = problem_with(workload, case_of_function(one, name)))
    node.refuse("does not describe a problem: " + *problem);
  return name;
}

Case read_case(const JsonNode& node, const std::string& name, const Workload& workload) {
  node.allow_keys({"workload", "seed", "entry", "distribution", "device", "only_on", "public", "visibility",
                   "earlier_calls", "other_function", "may_fail", "rotations"});
  if (!is_plain_name(name)) node.refuse("needs a name of at most 64 lower-case letters, digits, '-' and '_'");
  Case one;
  one.name = name;
  const auto entry = node.find("entry");
  one.entry = entry ? entry->one_of(workload.entries()) : workload.entries().front();
  const JsonNode parameters = node.at("workload");
  std::vector<Parameter> known = workload.parameters();
  std::erase_if(known, [&](const Parameter& parameter) { return !parameter.is_for(one.entry); });
  std::vector<std::string> names;
  for (const Parameter& parameter : known) names.push_back(parameter.name);
  parameters.allow_keys(names);
  for (const Parameter& parameter : known) {
    const bool is_left_out = parameter.otherwise && !parameters.find(parameter.name);
    one.workload[parameter.name] =
        is_left_out ? *parameter.otherwise : parameters.at(parameter.name).integer(INT64_MIN, INT64_MAX);
  }
  one.seed = static_cast<std::uint64_t>(node.at("seed").integer(0, kMaxSeed));
  if (const auto distribution = node.find("distribution"))
    one.distribution = distribution->one_of(distributions());
  if (const auto device = node.find("device")) one.device = read_device(*device);
  if (const auto only_on = node.find("only_on"))
    one.only_on = device_kind(only_on->one_of({"virtual", "cuda"}));
  if (const auto is_public = node.find("public")) one.is_public = is_public->boolean();
  if (const auto word = node.find("visibility")) one.visibility = word->word_of(kVisibilities);
  if (const auto may_fail = node.find("may_fail")) one.may_fail = may_fail->boolean();
  if (one.device.contains("operations_before_failure") && !one.may_fail)
    node.refuse("needs \"may_fail\": true, because its device fails");
  if (const auto problem = problem_with(workload, one))
    parameters.refuse("does not describe a problem: " + *problem);
  if (const auto calls = node.find("earlier_calls")) read_earlier_calls(*calls, names, workload, one);
  if (const auto other = node.find("other_function"))
    one.other_function = read_other_function(*other, workload, one);
  if (const auto rotations = node.find("rotations")) {
    one.rotations = rotations->integer(1, kMaxRotations);
    if (!one.earlier_calls.empty() || !one.other_function.empty() || one.may_fail)
      rotations->refuse("needs a case without earlier_calls, other_function and may_fail");
  }
  return one;
}

// ---- tasks

/// The case must run on the device of the objective or speed-up, which are about one call.
std::string case_on(const JsonNode& node, const Lab& lab, DeviceKind kind) {
  std::string name = reference(node, case_names(lab), "case");
  if (!lab.find_case(name)->runs_on(kind))
    node.refuse(fmt::format("names the case \"{}\", which does not run on the device \"{}\"", name,
                            kind == DeviceKind::cuda ? "cuda" : "virtual"));
  if (!lab.find_case(name)->other_function.empty())
    node.refuse(fmt::format("names the case \"{}\", which calls another function", name));
  if (!lab.find_case(name)->earlier_calls.empty())
    node.refuse(fmt::format("names the case \"{}\", which has earlier calls", name));
  if (lab.find_case(name)->may_fail) node.refuse(fmt::format("names the case \"{}\", which may fail", name));
  return name;
}

std::string counter_in(const JsonNode& node, const Lab& lab) {
  const Workload& workload = *find_workload(lab.workload);
  const JsonNode counter = node.at("counter");
  // There are thousands of ratios: a list of them is made only for the message.
  const bool is_ratio = parse_ratio(counter.text(), workload.quantity_names()).has_value();
  return is_ratio ? counter.text() : reference(counter, counter_names(workload), "counter");
}

ShownCounter read_shown(const JsonNode& node, const Lab& lab) {
  node.allow_keys({"counter", "naive", "solution", "at_most", "at_least"});
  ShownCounter shown{counter_in(node, lab), node.at("naive").number(), node.at("solution").number()};
  if (const auto limit = node.find("at_most")) shown.at_most = limit->number();
  if (const auto limit = node.find("at_least")) shown.at_least = limit->number();
  if (!shown.met_by(shown.solution)) node.at("solution").refuse_value("a value that meets the limit");
  return shown;
}

Elsewhere read_elsewhere(const JsonNode& node, const Lab& lab, const std::string& case_name) {
  node.allow_keys({"cases", "naive", "solution", "at_most", "at_least"});
  const auto case_of_function = [&](const JsonNode& name) {
    std::string other = case_on(name, lab, DeviceKind::virtual_gpu);
    const std::string& entry = lab.find_case(case_name)->entry;
    if (other == case_name) name.refuse_value("a case other than the objective's");
    if (lab.find_case(other)->entry != entry)
      name.refuse_value(fmt::format("a case of the objective's function, {}", entry));
    return other;
  };
  Elsewhere elsewhere;
  elsewhere.cases = distinct(node.at("cases"), case_of_function);
  if (const auto limit = node.find("at_most")) elsewhere.at_most = limit->number();
  if (const auto limit = node.find("at_least")) elsewhere.at_least = limit->number();
  elsewhere.naive = node.at("naive").number();
  elsewhere.solution = node.at("solution").number();
  if (elsewhere.cases.empty()) node.at("cases").refuse_value("a list of at least one case");
  if (!elsewhere.at_most && !elsewhere.at_least) node.refuse("needs \"at_most\" or \"at_least\"");
  if (!elsewhere.met_by(elsewhere.solution)) node.at("solution").refuse_value("a value that meets the limit");
  return elsewhere;
}

void refuse_naive_within_limit(const JsonNode& node) {
  node.at("naive").refuse_value("a value that misses the limit");
}

bool naive_meets_all(const Objective& objective) {
  return objective.met_by(objective.naive) &&
         std::all_of(objective.related.begin(), objective.related.end(),
                     [](const ShownCounter& one) { return one.met_by(one.naive); });
}

Objective read_objective(const JsonNode& node, const Lab& lab) {
  node.allow_keys({"counter", "case", "at_most", "at_least", "required", "naive", "solution", "hint",
                   "related", "elsewhere"});
  Objective objective;
  objective.counter = counter_in(node, lab);
  objective.case_name = case_on(node.at("case"), lab, DeviceKind::virtual_gpu);
  if (const auto limit = node.find("at_most")) objective.at_most = limit->number();
  if (const auto limit = node.find("at_least")) objective.at_least = limit->number();
  if (const auto required = node.find("required")) objective.is_required = required->boolean();
  objective.naive = node.at("naive").number();
  objective.solution = node.at("solution").number();
  objective.hint = optional_text(node, "hint");
  if (const auto related = node.find("related"))
    for (const JsonNode& one : related->elements()) objective.related.push_back(read_shown(one, lab));
  if (const auto elsewhere = node.find("elsewhere"))
    for (const JsonNode& one : elsewhere->elements()) {
      objective.elsewhere.push_back(read_elsewhere(one, lab, objective.case_name));
      const Elsewhere& other = objective.elsewhere.back();
      if (!objective.is_required && other.met_by(other.naive)) refuse_naive_within_limit(one);
    }
  if (!objective.at_most && !objective.at_least) node.refuse("needs \"at_most\" or \"at_least\"");
  if (!objective.met_by(objective.solution)) node.at("solution").refuse_value("a value that meets the limit");
  if (!objective.is_required && naive_meets_all(objective)) refuse_naive_within_limit(node);
  return objective;
}

SpeedThreshold read_threshold(const JsonNode& node) {
  node.allow_keys({"full", "half", "solution"});
  SpeedThreshold threshold{node.at("full").positive(), node.at("half").positive(), std::nullopt};
  if (threshold.half >= threshold.full)
    node.at("half").refuse_value(fmt::format("less than \"full\" ({})", threshold.full));
  if (const auto solution = node.find("solution")) {
    threshold.solution = solution->positive();
    if (*threshold.solution < threshold.full)
      solution->refuse_value(fmt::format("at least \"full\" ({})", threshold.full));
  }
  return threshold;
}

Speedup read_speedup(const JsonNode& node, const Lab& lab) {
  node.allow_keys({"case", "over", "virtual", "cuda", "hint"});
  const JsonNode cases = node.at("case");
  if (!cases.is_text()) cases.allow_keys({"virtual", "cuda"});
  Speedup speedup;
  speedup.virtual_case = case_on(cases.is_text() ? cases : cases.at("virtual"), lab, DeviceKind::virtual_gpu);
  speedup.cuda_case = case_on(cases.is_text() ? cases : cases.at("cuda"), lab, DeviceKind::cuda);
  speedup.over = node.at("over").one_of({"naive"});
  speedup.on_virtual = read_threshold(node.at("virtual"));
  speedup.on_cuda = read_threshold(node.at("cuda"));
  speedup.hint = optional_text(node, "hint");
  return speedup;
}

/// `lab` contains the cases and the tasks before this one, so `needs` cannot form a cycle.
Task read_task(const JsonNode& node, const Lab& lab) {
  node.allow_keys({"id", "title", "points", "bonus", "hints", "needs", "cases", "objectives", "speedup"});
  Task task;
  task.id = node.at("id").name();
  if (lab.find_task(task.id) != nullptr)
    node.at("id").refuse_value("an id that differs from those of all other tasks");
  task.title = optional_text(node, "title");
  if (task.title.empty()) task.title = task.id;
  const auto has_title = [&](const Task& other) { return other.title == task.title; };
  if (std::any_of(lab.tasks.begin(), lab.tasks.end(), has_title))
    node.find("title").value_or(node).refuse("repeats the title of an earlier task");
  task.points = node.at("points").positive();
  if (const auto bonus = node.find("bonus")) task.is_bonus = bonus->boolean();
  if (!task.is_bonus && !lab.tasks.empty() && lab.tasks.back().is_bonus)
    node.refuse("comes after a bonus task: bonus tasks are the last of a lab");
  task.hints = optional_text(node, "hints");
  std::vector<std::string> earlier;
  for (const Task& one : lab.tasks) earlier.push_back(one.id);
  const auto earlier_task = [&](const JsonNode& need) { return reference(need, earlier, "earlier task"); };
  if (const auto needs = node.find("needs")) task.needs = distinct(*needs, earlier_task);
  const auto known_case = [&](const JsonNode& name) { return reference(name, case_names(lab), "case"); };
  if (const auto cases = node.find("cases")) task.cases = distinct(*cases, known_case);
  if (const auto objectives = node.find("objectives"))
    for (const JsonNode& objective : objectives->elements())
      task.objectives.push_back(read_objective(objective, lab));
  if (const auto speedup = node.find("speedup")) task.speedup = read_speedup(*speedup, lab);
  if (task.cases.empty() && task.objectives.empty() && !task.speedup)
    node.refuse("checks nothing: it needs \"cases\", \"objectives\" or \"speedup\"");
  return task;
}

std::set<std::string> used_cases(const Lab& lab) {
  std::set<std::string> used;
  for (const Task& task : lab.tasks) {
    used.insert(task.cases.begin(), task.cases.end());
    for (const Objective& objective : task.objectives) used.insert(objective.case_name);
    if (task.speedup) used.insert({task.speedup->virtual_case, task.speedup->cuda_case});
  }
  return used;
}

// ---- the file

const Workload& read_workload(const JsonNode& node) { return *find_workload(node.one_of(workload_names())); }

/// The name of a symbol, as the linker uses it.
std::string symbol_name(const JsonNode& node) {
  std::string name = node.text();
  const auto is_fit = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (!std::all_of(name.begin(), name.end(), is_fit)) node.refuse_value("a symbol, as `nm` shows it");
  return name;
}

policy::Rules read_rules(const JsonNode& root, const Workload& workload) {
  policy::Rules rules;
  rules.entries = workload.entries();
  if (const auto allowed = root.find("allow_symbols")) rules.allow_symbols = distinct(*allowed, symbol_name);
  if (const auto forbidden = root.find("forbid_libraries"))
    rules.forbid_libraries =
        distinct(*forbidden, [](const JsonNode& node) { return node.one_of(policy::known_libraries()); });
  return rules;
}

Lab read_lab(const JsonNode& root, const std::filesystem::path& folder) {
  root.allow_keys({"schema", "id", "title", "workload", "sources", "gates", "tasks", "cases", "allow_symbols",
                   "forbid_libraries", "questions"});
  root.at("schema").one_of({kLabSchema});
  Lab lab;
  lab.folder = folder;
  lab.id = root.at("id").name();
  if (lab.id != folder.filename().string())
    root.at("id").refuse_value(fmt::format("the folder's name, \"{}\"", folder.filename().string()));
  lab.title = root.at("title").text();
  const Workload& workload = read_workload(root.at("workload"));
  lab.workload = root.at("workload").text();
  lab.sources = distinct(root.at("sources"), source_name);
  if (lab.sources.size() != 1) root.at("sources").refuse_value("a list of one file");
  for (const auto& [name, node] : root.at("cases").members())
    lab.cases.push_back(read_case(node, name, workload));
  if (const auto gates = root.find("gates"))
    lab.gates = gates->one_of({"share", "all"}) == "all" ? Gates::all : Gates::share;
  for (const JsonNode& node : root.at("tasks").elements()) lab.tasks.push_back(read_task(node, lab));
  lab.rules = read_rules(root, workload);
  if (lab.tasks.empty()) root.at("tasks").refuse_value("a list of at least one task");
  const std::set<std::string> used = used_cases(lab);
  for (const auto& [name, node] : root.at("cases").members())
    if (!used.contains(name)) node.refuse("is used by no task");
  if (const auto questions = root.find("questions")) lab.questions = read_questions(*questions, lab);
  return lab;
}

Diagnostic missing_file(const std::filesystem::path& file, const std::string& reason) {
  return diagnose_file("WG-G04", file.string(), "the lab's description cannot be read: " + reason,
                       "specify the folder of a lab, which contains a lab.json");
}

Diagnostic syntax_problem(const std::filesystem::path& file, const JsonSyntaxError& error) {
  Diagnostic problem =
      diagnose_file("WG-G01", file.string(),
                    fmt::format("is not JSON: line {}, column {}: {}", error.line, error.column, error.what),
                    "correct the line; JSON has no comments and no comma after the last element");
  problem.where->line = static_cast<int>(error.line);
  return problem;
}

}  // namespace

Expected<Lab, Diagnostic> load_lab(const std::filesystem::path& folder) {
  // "labs/x/" and "." have no file name of their own.
  std::filesystem::path named = std::filesystem::absolute(folder).lexically_normal();
  if (named.filename().empty()) named = named.parent_path();
  const std::filesystem::path file = folder / "lab.json";
  const auto text = read_file(file, kMaxLabBytes);
  if (!text) return Unexpected{missing_file(file, text.error())};
  try {
    const auto document = parse_json(*text);
    if (!document) return Unexpected{syntax_problem(file, document.error())};
    Lab lab = read_lab(JsonNode(*document), named);
    lab.folder = folder;
    return lab;
  } catch (const JsonProblem& problem) {
    return Unexpected{diagnose_file("WG-G02", file.string(), problem.what(),
                                    "correct the value; grader/schema/lab.schema.json describes the file")};
  }
}

}  // namespace grader
