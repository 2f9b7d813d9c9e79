// peer.h: another library that does the same work, in a process of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure.h"

namespace posenc::bench {

// A contender's script, asked line by line over its standard input and output:
//
//   (start)                              -> "torch 1.13.0"
//   prepare add bf16 8 4096 512 THREADS  -> first numbers of the last row of the result, or "no"
//   run CALLS                            -> seconds
//
// That of a GPU is asked for eager or compiled work, on so many sets of tensors in place of
// threads.
class Peer {
 public:
  // Nothing when it does not start: no such interpreter, or the library is not installed.
  static std::optional<Peer> start(const std::string& python, const std::string& script);

  const std::string& name() const { return name_; }
  // Nothing when the peer has no such case. Throws Error when its result is far from `expected`.
  std::optional<Contender> contender(const std::string& question, int threads,
                                     const std::vector<double>& expected);

 private:
  struct Process;
  std::shared_ptr<Process> process_;
  std::string name_;
};

// Every one of these scripts in the folder that starts, with every interpreter named in
// POSENC_PYTHON (separated by ':'; otherwise python3 and /usr/bin/python3). The same name is listed
// once. None where the folder's name is empty.
std::vector<Peer> installed_peers(const std::string& folder,
                                  const std::vector<std::string>& scripts);

}  // namespace posenc::bench
