// Who handed in what, when, as far as names and an LMS's own records say. Pure data; nothing in it is
// guessed. All text comes from outside and is data: whoever shows or writes it escapes it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace grader {

/// What other systems know a person by; empty where nobody said.
struct Identity {
  std::string name;
  std::string email;
  std::string lms_id;  ///< the number that the LMS gave: Canvas' user id, Moodle's participant or user
  std::string sis_id;  ///< the school's own number
  std::string login;   ///< Canvas' SIS Login ID, Moodle's username; packages do not have it, nor what follows
  std::string id_number;  ///< Moodle's ID number
  std::string section;

  friend bool operator==(const Identity&, const Identity&) = default;
};

struct HandIn {
  std::string lms;                     ///< "canvas", "moodle", "gradescope"; empty: a plain folder or archive
  std::vector<Identity> people;        ///< more than one: a group
  std::optional<bool> late;            ///< nothing: the LMS does not say
  std::string submitted_at;            ///< as the LMS wrote it
  std::vector<std::string> not_taken;  ///< uploads that a later one replaces
  std::map<std::string, std::vector<std::string>> same_bytes;  ///< by lab: submissions with this very file
  std::vector<std::string> notes;                              ///< what else an instructor should know

  friend bool operator==(const HandIn&, const HandIn&) = default;
};

}  // namespace grader
