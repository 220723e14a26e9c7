#include "slurm/cluster.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/programs.hpp"
#include "e2e/program.hpp"
#include "slurm/processes.hpp"

namespace testing {
namespace {

namespace fs = std::filesystem;

/// Daemons are often in folders that are not in a user's PATH.
fs::path find_daemon(const std::string& name) {
  for (const char* folder : {"/usr/sbin", "/usr/local/sbin", "/sbin"})
    if (grader::is_program(fs::path(folder) / name)) return fs::path(folder) / name;
  return grader::find_program(name);
}

/// Ports that were free when they were checked.
std::vector<unsigned> free_ports(unsigned count) {
  std::vector<unsigned> ports;
  std::vector<grader::Descriptor> held;
  for (unsigned i = 0; i < count; ++i) {
    grader::Descriptor& one = held.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(one.get(), generic, size) != 0 || ::getsockname(one.get(), generic, &size) != 0)
      throw std::runtime_error("no free port");
    ports.push_back(ntohs(address.sin_port));
  }
  return ports;
}

std::string user_name() {
  const passwd* user = ::getpwuid(::getuid());
  return user != nullptr ? user->pw_name : std::to_string(::getuid());
}

bool command_holds(pid_t process, const std::string& word) {
  return text_of(fmt::format("/proc/{}/cmdline", process)).find(word) != std::string::npos;
}

void kill_from_file(const fs::path& pid_file) {
  pid_t pid = 0;
  std::ifstream(pid_file) >> pid;
  if (pid > 1) ::kill(pid, SIGKILL);
}

}  // namespace

/// The process that runs all others (keeper.cpp).
class Cluster::Keeper {
 public:
  Keeper() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    commands_.reset(ends[1]);
    const grader::Descriptor reading(ends[0]);
    const std::string program = std::string(WARPGRADE_BINARY_DIR) + "/bin/slurm-keeper";
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("no process");
    if (pid_ > 0) return;
    ::dup2(reading.get(), STDIN_FILENO);
    ::execl(program.c_str(), program.c_str(), nullptr);
    ::_exit(127);
  }
  ~Keeper() {
    commands_.reset();
    ::waitpid(pid_, nullptr, 0);
  }

  void start(const std::vector<std::string>& command) const {
    const std::string line = fmt::format("{}\n", fmt::join(command, "\t"));
    if (::write(commands_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      throw std::runtime_error("the keeper is gone");
  }
  pid_t pid() const { return pid_; }

 private:
  grader::Descriptor commands_;
  pid_t pid_ = -1;
};

std::vector<std::string> Cluster::missing_programs() {
  std::vector<std::string> missing;
  for (const char* name :
       {"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo"})
    if (find_daemon(name).empty()) missing.emplace_back(name);
  return missing;
}

Cluster::Cluster(unsigned nodes, unsigned max_array_size)
    : folder_("slurm"), keeper_(std::make_unique<Keeper>()) {
  configure(nodes, max_array_size);
  start_munge();
  start_controller();
  for (unsigned node = 1; node <= nodes; ++node) start_daemon(node);
  wait_until_ready(nodes);
}

Cluster::~Cluster() { keeper_.reset(); }

std::map<std::string, std::string> Cluster::environment() const {
  return {{"SLURM_CONF", file("slurm.conf")}};
}

void Cluster::configure(unsigned nodes, unsigned max_array_size) {
  const std::vector<unsigned> ports = free_ports(nodes + 1);
  std::string node_lines, gpu_lines;
  for (unsigned node = 1; node <= nodes; ++node) {
    const fs::path gpu = file("gpu-" + name(node));
    fs::create_symlink("/dev/null", gpu);  // must be a device; any device is suitable
    node_lines += fmt::format(
        "NodeName={} NodeHostname=localhost NodeAddr=127.0.0.1 Port={} CPUs=1 RealMemory=1000 Gres=gpu:1\n",
        name(node), ports[node]);
    gpu_lines += fmt::format("NodeName={} Name=gpu File={}\n", name(node), gpu.string());
  }
  for (const char* folder : {"state", "spool", "log"}) fs::create_directory(file(folder));
  write(file("gres.conf"), gpu_lines);
  write(file("slurm.conf"),
        fmt::format(R"(ClusterName=warpgrade-test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
# cred_expire is also how long a task waits that lost its node.
AuthInfo=socket={folder}/munge.sock,cred_expire=20
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=100
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
GresTypes=gpu
SlurmdParameters=config_overrides
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=10
MessageTimeout=5
KillWait=2
MaxArraySize={max_array_size}
MailProg=/bin/true
{nodes}PartitionName=grade Nodes=ALL Default=YES MaxTime=01:00:00 State=UP
)",
                    fmt::arg("port", ports[0]), fmt::arg("user", user_name()),
                    fmt::arg("folder", folder_.path().string()), fmt::arg("max_array_size", max_array_size),
                    fmt::arg("nodes", node_lines)));
}

void Cluster::start_munge() {
  constexpr std::size_t kKeyBytes = 128;
  std::string key(kKeyBytes, '\0');
  std::ifstream("/dev/urandom", std::ios::binary).read(key.data(), static_cast<std::streamsize>(key.size()));
  write(file("munge.key"), key);
  fs::permissions(file("munge.key"), fs::perms::owner_read);
  const auto in = [&](const char* option, const char* name) {
    return fmt::format("--{}={}", option, file(name).string());
  };
  keeper_->start({find_daemon("munged"), "--foreground", "--force", in("key-file", "munge.key"),
                  in("socket", "munge.sock"), in("pid-file", "munged.pid"), in("log-file", "log/munged.log"),
                  in("seed-file", "munge.seed")});
  for (int i = 0; i < 500 && !fs::exists(file("munge.sock")); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

void Cluster::start_controller() {
  keeper_->start({find_daemon("slurmctld"), "-D", "-f", file("slurm.conf")});
}

void Cluster::start_daemon(unsigned node) {
  keeper_->start({find_daemon("slurmd"), "-D", "-N", name(node), "-f", file("slurm.conf")});
}

void Cluster::take_out_of_service(unsigned node, const std::string& reason) {
  run({grader::find_program("scontrol"), "update", "NodeName=" + name(node), "State=DRAIN",
       "Reason=" + reason},
      {.environment = environment()});
}

void Cluster::return_to_service(unsigned node) {
  run({grader::find_program("scontrol"), "update", "NodeName=" + name(node), "State=RESUME"},
      {.environment = environment()});
}

void Cluster::wait_until_ready(unsigned nodes) const {
  for (int i = 0; i < 200; ++i) {
    const Ended idle = run({grader::find_program("sinfo"), "--noheader", "--states=idle", "--format=%D"},
                           {.environment = environment()});
    if (idle.code == 0 && std::atoi(idle.out.c_str()) == static_cast<int>(nodes)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  std::string logs;
  for (const auto& log : fs::directory_iterator(file("log"))) {
    const std::string text = text_of(log.path());
    logs += log.path().filename().string() + ": " +
            text.substr(text.size() - std::min<std::size_t>(text.size(), 1000));
  }
  throw std::runtime_error("Slurm did not become ready:\n" + logs);
}

void Cluster::kill_daemon(unsigned node) { kill_from_file(file("slurmd." + name(node) + ".pid")); }
void Cluster::kill_controller() { kill_from_file(file("slurmctld.pid")); }

void Cluster::crash(unsigned node) {
  kill_daemon(node);
  // A task's script is in its node's spool folder. Its parent, slurmstepd, must be killed before it can
  // report the task's end.
  const std::string spool = file("spool/" + name(node)).string() + "/";
  for (const pid_t process : task_processes(spool))
    if (const pid_t step = parent_of(process); step > 1)
      for (const pid_t one : tree_of(step)) ::kill(one, SIGKILL);
}

std::vector<pid_t> Cluster::task_processes(const std::string& word) const {
  std::vector<pid_t> found;
  for (const pid_t process : tree_of(keeper_->pid()))
    if (command_holds(process, word)) found.push_back(process);
  return found;
}

}  // namespace testing
