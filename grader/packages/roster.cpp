#include "packages/roster.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <yaml.h>

namespace grader {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxText = 1000;  ///< maximum length of a name; longer ones are cut

/// The parser's position: one level per enclosing mapping or list.
struct Level {
  bool is_mapping = false;
  bool at_key = true;  ///< in a mapping: the next scalar is a key
  std::string key;
};

class RosterParser {
 public:
  explicit RosterParser(const std::string& yaml) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(yaml.data()), yaml.size());
  }
  ~RosterParser() { yaml_parser_delete(&parser_); }
  RosterParser(const RosterParser&) = delete;
  RosterParser& operator=(const RosterParser&) = delete;

  Expected<HandInRoster, std::string> run() {
    for (;;) {
      yaml_event_t event;
      if (yaml_parser_parse(&parser_, &event) == 0)
        return Unexpected{fmt::format("line {}: {}", parser_.problem_mark.line + 1,
                                      parser_.problem != nullptr ? parser_.problem : "not YAML")};
      const bool ended = event.type == YAML_STREAM_END_EVENT;
      take(event);
      yaml_event_delete(&event);
      if (ended) return std::move(roster_);
      if (levels_.size() > kMaxDepth) return Unexpected{std::string("it is nested too deeply")};
    }
  }

 private:
  void take(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_MAPPING_START_EVENT:
        begin_person();
        levels_.push_back({true, true, ""});
        break;
      case YAML_SEQUENCE_START_EVENT:
        levels_.push_back({false, false, ""});
        break;
      case YAML_MAPPING_END_EVENT:
      case YAML_SEQUENCE_END_EVENT:
        levels_.pop_back();
        value_ended();
        break;
      case YAML_SCALAR_EVENT:
        scalar(std::string(reinterpret_cast<const char*>(event.data.scalar.value),
                           std::min(event.data.scalar.length, kMaxText)));
        break;
      // Aliases are not expanded, because nested aliases could grow without bound.
      case YAML_ALIAS_EVENT:
        value_ended();
        break;
      default:
        break;
    }
  }

  void scalar(const std::string& text) {
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (level.is_mapping && level.at_key) {
      level.key = text.substr(text.starts_with(':') ? 1 : 0);  // Ruby symbols start with ':'
      level.at_key = false;
      return;
    }
    value(text);
    value_ended();
  }

  void value_ended() {
    if (!levels_.empty() && levels_.back().is_mapping) levels_.back().at_key = true;
  }

  /// submission_1: {submitters: [{name: …, sid: …, email: …}], created_at: …}
  bool among_submitters() const {
    return levels_.size() >= 3 && levels_[1].is_mapping && levels_[1].key == "submitters" &&
           !levels_[2].is_mapping;
  }

  void begin_person() {
    if (levels_.size() == 3 && among_submitters()) roster_[levels_[0].key].people.emplace_back();
  }

  void value(const std::string& text) {
    if (levels_.size() == 2 && levels_[1].key == "created_at") roster_[levels_[0].key].submitted_at = text;
    if (levels_.size() != 4 || !among_submitters()) return;
    Identity& person = roster_[levels_[0].key].people.back();
    if (levels_[3].key == "name") person.name = text;
    if (levels_[3].key == "email") person.email = text;
    if (levels_[3].key == "sid") person.sis_id = text;
  }

  yaml_parser_t parser_{};
  std::vector<Level> levels_;
  HandInRoster roster_;
};

}  // namespace

Expected<HandInRoster, std::string> parse_roster(const std::string& yaml) { return RosterParser(yaml).run(); }

}  // namespace grader
