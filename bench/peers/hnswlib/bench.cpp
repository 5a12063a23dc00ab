// Measures hnswlib on the files that "go run ./bench vector" reads, with the
// same flags, and prints the same JSON. bench/peers/vector.sh runs both.
//
//   g++ -std=c++17 -O3 -march=native -o hnswlib bench.cpp
//   hnswlib --base FILE --query FILE --gt FILE --dim D [--n N] [--m 16]
//     [--efc 200] [--ef 16,32,64,128,256] [--metric ip|cosine|l2]
//     [--queries N] [--queries-are-base] [--set NAME] [--engine NAME]
//
// A child process builds the index and saves it to a file; this one opens the
// file and searches, so that its memory holds no vectors but those of the index
// and the queries. Times are processor time of the searching thread, and wall
// time beside it. Cosine is the inner product of vectors scaled to length 1;
// scaling a query is part of its search.
#include <hnswlib/hnswlib.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr size_t kRecallAt = 10;
constexpr int kPasses = 3;  // the first warms caches and is not counted
constexpr size_t kSeed = 100;

struct Options {
  std::string base, query, gt, metric = "ip", set = "set", engine = "hnswlib";
  size_t dim = 0, n = 0, m = 16, efc = 200, queries = 1000;
  std::vector<size_t> ef = {16, 32, 64, 128, 256};
  bool queries_are_base = false;
  std::string command;
};

struct Query {
  std::vector<float> vector;
  long self = -1;  // the row that it is
  std::vector<int32_t> truth;
};

double Seconds(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}
double ThreadTime() { return Seconds(CLOCK_THREAD_CPUTIME_ID); }
double WallTime() { return Seconds(CLOCK_MONOTONIC); }

// Resident returns the resident bytes of the process, 0 where not told.
double Resident() {
  std::ifstream f("/proc/self/statm");
  double all = 0, resident = 0;
  f >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

std::vector<size_t> Numbers(const std::string &list) {
  std::vector<size_t> out;
  std::stringstream s(list);
  for (std::string item; std::getline(s, item, ',');) out.push_back(std::stoul(item));
  return out;
}

Options Parse(int argc, char **argv) {
  Options o;
  for (int i = 0; i < argc; i++) o.command += (i ? " " : "") + std::string(argv[i]);
  for (int i = 1; i < argc; i++) {
    std::string flag = argv[i];
    flag.erase(0, flag.find_first_not_of('-'));
    if (flag == "json") continue;  // there is no other output
    if (flag == "queries-are-base") {
      o.queries_are_base = true;
      continue;
    }
    if (++i == argc) throw std::runtime_error("no value of " + flag);
    std::string value = argv[i];
    if (flag == "base") o.base = value;
    else if (flag == "query") o.query = value;
    else if (flag == "gt") o.gt = value;
    else if (flag == "metric") o.metric = value;
    else if (flag == "set") o.set = value;
    else if (flag == "engine") o.engine = value;
    else if (flag == "dim") o.dim = std::stoul(value);
    else if (flag == "n") o.n = std::stoul(value);
    else if (flag == "m") o.m = std::stoul(value);
    else if (flag == "efc") o.efc = std::stoul(value);
    else if (flag == "queries") o.queries = std::stoul(value);
    else if (flag == "ef") o.ef = Numbers(value);
    else throw std::runtime_error("unknown flag " + flag);
  }
  if (o.base.empty() || o.dim == 0 || o.ef.empty()) throw std::runtime_error("--base, --dim and --ef are needed");
  if (o.queries_are_base == !o.query.empty()) throw std::runtime_error("either --query or --queries-are-base is needed");
  if (o.metric != "ip" && o.metric != "cosine" && o.metric != "l2") throw std::runtime_error("metric " + o.metric);
  return o;
}

// A file of 4-byte elements.
class File {
 public:
  explicit File(const std::string &path) : path_(path), in_(path, std::ios::binary | std::ios::ate) {
    if (!in_) throw std::runtime_error("cannot open " + path);
    elements_ = size_t(in_.tellg()) / 4;
  }
  size_t elements() const { return elements_; }
  template <class T>
  std::vector<T> Read(size_t from, size_t count) {
    std::vector<T> out(count);
    in_.seekg(std::streamoff(from * 4));
    in_.read(reinterpret_cast<char *>(out.data()), std::streamsize(count * 4));
    if (!in_) throw std::runtime_error("cannot read " + path_);
    return out;
  }

 private:
  std::string path_;
  std::ifstream in_;
  size_t elements_;
};

void Normalise(float *v, size_t dim) {
  double sum = 0;
  for (size_t i = 0; i < dim; i++) sum += double(v[i]) * v[i];
  float scale = sum > 0 ? float(1 / std::sqrt(sum)) : 0;
  for (size_t i = 0; i < dim; i++) v[i] *= scale;
}

std::unique_ptr<hnswlib::SpaceInterface<float>> Space(const Options &o) {
  if (o.metric == "l2") return std::make_unique<hnswlib::L2Space>(o.dim);
  return std::make_unique<hnswlib::InnerProductSpace>(o.dim);
}

// Rows returns how many rows of the base are used, and how many there are.
size_t Rows(const Options &o, size_t *all) {
  *all = File(o.base).elements() / o.dim;
  return o.n ? std::min(o.n, *all) : *all;
}

// Nearness in double precision; more is nearer.
double Nearness(const std::string &metric, const float *q, const float *x, size_t dim) {
  double dot = 0, length = 0, distance = 0;
  for (size_t i = 0; i < dim; i++) {
    dot += double(q[i]) * x[i];
    length += double(x[i]) * x[i];
    distance += (double(q[i]) - x[i]) * (double(q[i]) - x[i]);
  }
  if (metric == "l2") return -distance;
  return metric == "ip" ? dot : dot / std::sqrt(length);
}

std::vector<int32_t> Nearest(const Options &o, const std::vector<float> &base, size_t n, const Query &q) {
  std::vector<std::pair<double, int32_t>> all;
  for (size_t i = 0; i < n; i++) {
    if (long(i) != q.self) all.emplace_back(-Nearness(o.metric, q.vector.data(), &base[i * o.dim], o.dim), int32_t(i));
  }
  size_t k = std::min(kRecallAt, all.size());
  std::partial_sort(all.begin(), all.begin() + long(k), all.end());  // of equal ones the lower row
  std::vector<int32_t> out;
  for (size_t i = 0; i < k; i++) out.push_back(all[i].second);
  return out;
}

std::vector<Query> Queries(const Options &o, size_t n, size_t rows) {
  std::vector<Query> out;
  size_t asked = rows;  // rows that the truth is of
  if (o.queries_are_base) {
    File base(o.base);
    size_t count = std::min(n, o.queries);
    for (size_t i = 0; i < count; i++) {
      Query q;
      q.self = long(i * n / count);
      q.vector = base.Read<float>(size_t(q.self) * o.dim, o.dim);
      out.push_back(q);
    }
  } else {
    File file(o.query);
    asked = file.elements() / o.dim;
    for (size_t i = 0; i < std::min(asked, o.queries); i++) {
      Query q;
      q.vector = file.Read<float>(i * o.dim, o.dim);
      out.push_back(q);
    }
  }
  if (o.gt.empty() || n < rows) {
    std::vector<float> base = File(o.base).Read<float>(0, n * o.dim);
    for (Query &q : out) q.truth = Nearest(o, base, n, q);
    return out;
  }
  File gt(o.gt);
  size_t width = gt.elements() / asked;
  if (width < 1 || width * asked != gt.elements()) throw std::runtime_error("ground truth of another number of queries");
  for (size_t i = 0; i < out.size(); i++) {
    size_t row = out[i].self >= 0 ? size_t(out[i].self) : i;
    out[i].truth = gt.Read<int32_t>(row * width, std::min(width, kRecallAt));
  }
  return out;
}

struct Built {
  double cpu, durable;  // in memory; and saved
  double wall;
};

Built Build(const Options &o, size_t n, const std::string &path) {
  std::vector<float> base = File(o.base).Read<float>(0, n * o.dim);
  auto space = Space(o);
  double cpu = ThreadTime(), wall = WallTime();
  hnswlib::HierarchicalNSW<float> index(space.get(), n, o.m, o.efc, kSeed);
  for (size_t i = 0; i < n; i++) {
    float *row = &base[i * o.dim];
    if (o.metric == "cosine") Normalise(row, o.dim);
    index.addPoint(row, i);
  }
  Built b;
  b.cpu = ThreadTime() - cpu;
  index.saveIndex(path);
  b.durable = ThreadTime() - cpu;
  b.wall = WallTime() - wall;
  return b;
}

// BuildApart runs Build in a process of its own.
Built BuildApart(const Options &o, size_t n, const std::string &path) {
  int fd[2];
  if (pipe(fd) != 0) throw std::runtime_error("pipe");
  pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) {
    int code = 1;
    try {
      Built b = Build(o, n, path);
      if (write(fd[1], &b, sizeof b) == sizeof b) code = 0;
    } catch (const std::exception &e) {
      fprintf(stderr, "hnswlib: build: %s\n", e.what());
    }
    _exit(code);
  }
  close(fd[1]);
  Built b;
  bool whole = read(fd[0], &b, sizeof b) == sizeof b;
  close(fd[0]);
  int status;
  if (waitpid(child, &status, 0) < 0 || status != 0 || !whole) throw std::runtime_error("the build failed");
  return b;
}

// Search returns the rows found, without the query's own.
std::vector<int32_t> Search(const Options &o, const hnswlib::HierarchicalNSW<float> &index, const Query &q,
                            std::vector<float> *scaled, double *cpu, double *wall) {
  double c = ThreadTime(), w = WallTime();
  const float *v = q.vector.data();
  if (o.metric == "cosine") {
    scaled->assign(q.vector.begin(), q.vector.end());
    Normalise(scaled->data(), o.dim);
    v = scaled->data();
  }
  auto found = index.searchKnn(v, kRecallAt + (q.self >= 0));
  *cpu = ThreadTime() - c;
  *wall = WallTime() - w;
  std::vector<int32_t> out;
  for (; !found.empty(); found.pop()) {  // the farthest first
    if (long(found.top().second) != q.self) out.push_back(int32_t(found.top().second));
  }
  std::reverse(out.begin(), out.end());
  if (out.size() > kRecallAt) out.resize(kRecallAt);
  return out;
}

double Recall(const Query &q, const std::vector<int32_t> &got) {
  size_t n = std::min(q.truth.size(), kRecallAt), hits = 0;
  for (size_t i = 0; i < n; i++) hits += size_t(std::count(got.begin(), got.end(), q.truth[i]));
  return n ? double(hits) / double(n) : 1;
}

double At(std::vector<double> &v, double quantile) {
  std::sort(v.begin(), v.end());
  return v[std::min(size_t(quantile * double(v.size())), v.size() - 1)] * 1e6;
}

std::string Point(const Options &o, hnswlib::HierarchicalNSW<float> &index, const std::vector<Query> &queries, size_t ef) {
  index.setEf(ef);
  std::vector<double> cpu, wall;
  std::vector<float> scaled;
  double recall = 0, sum = 0;
  for (int pass = 0; pass < kPasses; pass++) {
    for (const Query &q : queries) {
      double c, w;
      auto got = Search(o, index, q, &scaled, &c, &w);
      if (pass == 0) continue;
      cpu.push_back(c);
      wall.push_back(w);
      sum += c;
      if (pass == kPasses - 1) recall += Recall(q, got);
    }
  }
  char out[400];
  snprintf(out, sizeof out,
           "{\"ef\":%zu,\"recall\":%.6f,\"qps_cpu\":%.1f,\"p50_us\":%.3f,\"p99_us\":%.3f,\"p50_wall_us\":%.3f,\"p99_wall_us\":%.3f}", ef,
           recall / double(queries.size()), double(cpu.size()) / sum, At(cpu, 0.5), At(cpu, 0.99), At(wall, 0.5), At(wall, 0.99));
  return out;
}

std::string Quoted(const std::string &s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + "\"";
}

int Run(const Options &o) {
  size_t rows, n = Rows(o, &rows);
  std::vector<Query> queries = Queries(o, n, rows);
  const char *tmp = getenv("TMPDIR");
  std::string path = std::string(tmp ? tmp : "/tmp") + "/hnswlib-XXXXXX";
  int fd = mkstemp(&path[0]);
  if (fd < 0) throw std::runtime_error("cannot make " + path);
  close(fd);
  struct Removed {
    std::string path;
    ~Removed() { unlink(path.c_str()); }
  } removed{path};
  Built built = BuildApart(o, n, path);
  struct stat st;
  if (stat(path.c_str(), &st) != 0) throw std::runtime_error("stat");

  auto space = Space(o);
  double before = Resident(), from = WallTime(), open = 0;
  hnswlib::HierarchicalNSW<float> index(space.get(), path);
  index.setEf(*std::max_element(o.ef.begin(), o.ef.end()));
  std::vector<float> scaled;
  for (const Query &q : queries) {
    double c, w;
    auto got = Search(o, index, q, &scaled, &c, &w);
    if (open == 0 && !q.truth.empty() && std::count(got.begin(), got.end(), q.truth[0])) open = WallTime() - from;
  }
  if (open == 0) throw std::runtime_error("no answer holds the nearest vector");
  double after = Resident();
  // What every index has once is no vector's.
  double once = double(index.max_update_element_locks) * sizeof(std::mutex);
  std::string points;
  for (size_t ef : o.ef) points += (points.empty() ? "" : ",") + Point(o, index, queries, ef);
  printf("{\"v\":1,\"engine\":%s,\"set\":%s,\"n\":%zu,\"dim\":%zu,\"metric\":%s,\"m\":%zu,\"efc\":%zu,"
         "\"build_cpu_s\":%.4f,\"build_cpu_s_durable\":%.4f,\"build_wall_s\":%.4f,"
         "\"rss_mb\":%.3f,\"rss_before_mb\":%.3f,\"bytes_per_vector\":%.1f,\"disk_mb\":%.3f,\"open_s\":%.5f,"
         "\"points\":[%s],\"queries\":%zu,\"command\":%s}\n",
         Quoted(o.engine).c_str(), Quoted(o.set).c_str(), n, o.dim, Quoted(o.metric).c_str(), o.m, o.efc, built.cpu,
         built.durable, built.wall, after / 1e6, before / 1e6, (after - before - once) / double(n), double(st.st_size) / 1e6, open,
         points.c_str(), queries.size(), Quoted(o.command).c_str());
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  try {
    return Run(Parse(argc, argv));
  } catch (const std::exception &e) {
    fprintf(stderr, "hnswlib: %s\n", e.what());
    return 1;
  }
}
