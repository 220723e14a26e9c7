// The people, submissions and times of a hand-in, as far as file names and an LMS's records state it. Pure
// data without guesses. All text comes from outside: code that shows or writes it must escape it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace grader {

/// A person's identifiers in other systems; empty if unknown.
struct Identity {
  std::string name;
  std::string email;
  std::string lms_id;  ///< the LMS's number: Canvas' user id, Moodle's participant or user
  std::string sis_id;  ///< the school's own number
  std::string login;   ///< Canvas' SIS Login ID, Moodle's username; packages lack this and the fields below
  std::string id_number;  ///< Moodle's ID number
  std::string section;

  friend bool operator==(const Identity&, const Identity&) = default;
};

struct HandIn {
  std::string lms;                     ///< "canvas", "moodle", "gradescope"; empty: a plain folder or archive
  std::vector<Identity> people;        ///< more than one: a group
  std::optional<bool> late;            ///< nullopt: the LMS does not state it
  std::string submitted_at;            ///< as the LMS wrote it
  std::vector<std::string> not_taken;  ///< earlier uploads that a later one replaced
  std::map<std::string, std::vector<std::string>> same_bytes;  ///< by lab: submissions with an identical file
  std::vector<std::string> notes;                              ///< other remarks for the instructor

  friend bool operator==(const HandIn&, const HandIn&) = default;
};

}  // namespace grader
