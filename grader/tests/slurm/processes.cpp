#include "slurm/processes.hpp"

#include <charconv>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <dirent.h>

namespace testing {

pid_t parent_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream rest(text.substr(text.rfind(')') + 1));  // a name may hold anything
  char state = 'Z';
  pid_t parent = 0;
  rest >> state >> parent;
  return state == 'Z' ? 0 : parent;
}

std::vector<pid_t> tree_of(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  DIR* processes = ::opendir("/proc");
  for (const dirent* entry = ::readdir(processes); entry != nullptr; entry = ::readdir(processes)) {
    const std::string name = entry->d_name;
    pid_t pid = 0;
    std::from_chars(name.data(), name.data() + name.size(), pid);
    if (pid > 0) children.emplace(parent_of(pid), pid);
  }
  ::closedir(processes);
  std::vector<pid_t> found = {root};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (auto [child, end] = children.equal_range(found[i]); child != end; ++child)
      found.push_back(child->second);
  return found;
}

}  // namespace testing
