// peer.cc: starts contenders and talks to them.
#include "peer.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "posenc/tensor.h"

extern char** environ;

namespace posenc::bench {

// The child's standard input and output are one socket; it ends when the socket closes.
struct Peer::Process {
  int socket = -1;
  pid_t pid = -1;

  ~Process() {
    if (socket >= 0) close(socket);
    if (pid > 0) waitpid(pid, nullptr, 0);
  }

  // A line without its end; nothing when the peer has died.
  std::optional<std::string> read_line() const {
    std::string line;
    for (char c; recv(socket, &c, 1, 0) == 1; line += c)
      if (c == '\n') return line;
    return std::nullopt;
  }

  std::optional<std::string> ask(std::string question) const {
    question += '\n';
    const ssize_t sent = send(socket, question.data(), question.size(), MSG_NOSIGNAL);
    if (sent != std::ssize(question)) return std::nullopt;
    return read_line();
  }
};

std::optional<Peer> Peer::start(const std::string& python, const std::string& script) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
  Peer peer;
  peer.process_ = std::make_shared<Process>();
  peer.process_->socket = ends[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  const char* arguments[] = {python.c_str(), "-uB", script.c_str(), nullptr};
  const int failed = posix_spawnp(&peer.process_->pid, python.c_str(), &actions, nullptr,
                                  const_cast<char**>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed) peer.process_->pid = -1;
  const auto hello = peer.process_->read_line();
  if (!hello) return std::nullopt;
  peer.name_ = *hello;
  return peer;
}

std::optional<Contender> Peer::contender(const std::string& question, int threads,
                                         const std::vector<double>& expected) {
  const auto answer = process_->ask("prepare " + question + " " + std::to_string(threads));
  if (!answer || *answer == "no") return std::nullopt;
  std::istringstream numbers(*answer);
  for (double want : expected) {
    double got = NAN;
    numbers >> got;
    // Up to three roundings to bf16, and what f32 phases lose in a hundred thousand positions.
    if (!(std::abs(got - want) <= 0.02 * std::max(1.0, std::abs(want))))
      fail("bench", "expected ", name_, " to agree on '", question, "', got ", got, " beside ",
           want);
  }
  return Contender{name_, [process = process_, name = name_](int64_t calls) {
                     const auto seconds = process->ask("run " + std::to_string(calls));
                     if (!seconds) fail("bench", name, " ended without an answer");
                     return std::strtod(seconds->c_str(), nullptr);
                   }};
}

std::vector<Peer> installed_peers(const std::string& folder,
                                  const std::vector<std::string>& scripts) {
  if (folder.empty()) return {};
  const char* chosen = std::getenv("POSENC_PYTHON");
  std::istringstream interpreters(chosen ? chosen : "python3:/usr/bin/python3");
  std::vector<Peer> peers;
  for (std::string python; std::getline(interpreters, python, ':');)
    for (const std::string& script : scripts) {
      auto peer = Peer::start(python, folder + "/" + script);
      const auto same = [&](const Peer& p) { return p.name() == peer->name(); };
      if (peer && std::none_of(peers.begin(), peers.end(), same)) peers.push_back(*peer);
    }
  return peers;
}

}  // namespace posenc::bench
