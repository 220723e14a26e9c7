// The harness's end of the channel. Calls block; if the grader has closed its end, they end the process.
#pragma once

#include "harness/job.hpp"
#include "harness/messages.hpp"

namespace grader::harness {

class Link {
 public:
  explicit Link(int socket) : socket_(socket) {}

  Job receive_job() { return read_job(receive()); }
  void send(const Reply& reply);
  Request receive_request() { return read_request(receive()); }

 private:
  Frame receive();

  int socket_;
  FrameReader reader_{{.header_bytes = std::size_t{1} << 20U, .payload_floats = std::size_t{1} << 28U}};
};

}  // namespace grader::harness
