// Measures igraph on the graphs that "go run ./bench graph" reads in their
// binary form, with the same flags, and prints the same JSON. bench/peers/graph.sh
// runs both.
//
//   gcc -O2 -march=native -o igraph bench.c $(pkg-config --cflags --libs igraph) -lm
//   igraph --graph FILE --task TASK [--seed N] [--reps N] [--queries N]
//     [--labels FILE] [--directed] [--engine NAME]
//
// The time of a task is the processor time of the process from the call of the
// algorithm until it returns; making the graph of the edges is reported as load.
// Of ppr, path and wpath it is that of all queries. Seeds, sources and pairs are
// drawn as ragdb's command draws them.
#include <igraph.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { kMaxReps = 1000, kPPRSeeds = 20, kPPRQueries = 20, kDijkstraQueries = 100 };

typedef struct {
  const char *graph, *task, *labels, *engine;
  char name[32];        // of the task, up to the colon
  const char *argument; // after it, "" where there is none
  unsigned long seed;
  int reps, queries;
  bool directed;
} Options;

// What a task found out.
typedef struct {
  double value, modularity, nmi;
  long communities;  // -1 where the task has none
  int queries;
  double p50, p99, p50_wall, p99_wall;  // microseconds
  long reached;
} Result;

typedef struct {
  igraph_t graph;
  igraph_vector_t weights;
  igraph_integer_t n, m;
  double load;
} Input;

static void Die(const char *what, const char *about) {
  fprintf(stderr, "igraph: %s: %s\n", what, about);
  exit(2);
}

static void Must(igraph_error_t e, const char *what) {
  if (e != IGRAPH_SUCCESS) Die(what, igraph_strerror(e));
}

static double ProcessTime(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

static double Clock(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

// Draw returns the next number below n of a sequence.
static igraph_integer_t Draw(uint64_t *state, igraph_integer_t n) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (igraph_integer_t)((*state >> 33) % (uint64_t)n);
}

static uint32_t Number(const unsigned char *b) {
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void ReadGraph(const Options *o, Input *in) {
  FILE *f = fopen(o->graph, "rb");
  unsigned char head[12];
  if (!f || fread(head, 1, 12, f) != 12 || memcmp(head, "RGB1", 4) != 0) Die(o->graph, "no graph");
  in->n = Number(head + 4);
  in->m = Number(head + 8);
  if (in->n == 0 || fseek(f, 12 + (long)in->n, SEEK_SET) != 0) Die(o->graph, "no nodes");
  igraph_vector_int_t ends;
  Must(igraph_vector_int_init(&ends, 2 * in->m), "edges");
  Must(igraph_vector_init(&in->weights, in->m), "weights");
  for (igraph_integer_t i = 0; i < in->m; i++) {
    unsigned char b[12];
    if (fread(b, 1, 12, f) != 12) Die(o->graph, "the file ends early");
    uint32_t bits = Number(b + 8);
    float w;
    memcpy(&w, &bits, 4);
    VECTOR(ends)[2 * i] = Number(b);
    VECTOR(ends)[2 * i + 1] = Number(b + 4);
    VECTOR(in->weights)[i] = w;
  }
  fclose(f);
  double from = ProcessTime();
  Must(igraph_create(&in->graph, &ends, in->n, o->directed), "graph");
  in->load = ProcessTime() - from;
  igraph_vector_int_destroy(&ends);
}

// Agreement returns the normalised mutual information with labels, NAN where
// there are none.
static double Agreement(const Options *o, const igraph_vector_int_t *of) {
  if (!o->labels) return NAN;
  FILE *f = fopen(o->labels, "r");
  if (!f) Die(o->labels, "cannot be read");
  igraph_integer_t n = igraph_vector_int_size(of);
  igraph_vector_int_t truth, found;
  Must(igraph_vector_int_init(&truth, 0), "labels");
  Must(igraph_vector_int_init(&found, 0), "labels");
  for (igraph_integer_t u = 0; u < n; u++) {
    long label;
    if (fscanf(f, "%ld", &label) != 1) Die(o->labels, "fewer labels than nodes");
    if (label < 0) continue;
    Must(igraph_vector_int_push_back(&truth, label), "labels");
    Must(igraph_vector_int_push_back(&found, VECTOR(*of)[u]), "labels");
  }
  fclose(f);
  igraph_real_t nmi;
  Must(igraph_compare_communities(&truth, &found, &nmi, IGRAPH_COMMCMP_NMI), "labels");
  igraph_vector_int_destroy(&truth);
  igraph_vector_int_destroy(&found);
  return nmi;
}

static int Ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// At returns a quantile of n seconds in order, in microseconds.
static double At(const double *s, int n, double q) {
  int i = (int)(q * n);
  return s[i < n ? i : n - 1] * 1e6;
}

// Ask asks the queries of ppr, path or wpath.
static void Ask(const Options *o, const Input *in, Result *r) {
  bool ppr = !strcmp(o->name, "ppr"), weighted = !strcmp(o->name, "wpath");
  int queries = o->queries;
  if (ppr && queries > kPPRQueries) queries = kPPRQueries;
  if (weighted && queries > kDijkstraQueries) queries = kDijkstraQueries;
  double *cpu = malloc(queries * sizeof *cpu), *wall = malloc(queries * sizeof *wall), sum = 0;
  uint64_t state = o->seed;
  long reached = 0;
  for (int q = 0; q < queries; q++) {
    igraph_vector_int_t nodes, edges, seeds;
    igraph_vector_t scores;
    igraph_real_t unused;
    Must(igraph_vector_int_init(&nodes, 0), "path");
    Must(igraph_vector_int_init(&edges, 0), "path");
    Must(igraph_vector_int_init(&seeds, 0), "seeds");
    Must(igraph_vector_init(&scores, 0), "scores");
    igraph_integer_t from = 0, to = 0;
    if (ppr) {
      for (int i = 0; i < kPPRSeeds; i++) Must(igraph_vector_int_push_back(&seeds, Draw(&state, in->n)), "seeds");
    } else {
      from = Draw(&state, in->n);
      to = Draw(&state, in->n);
    }
    double w0 = Clock(CLOCK_MONOTONIC), c0 = Clock(CLOCK_THREAD_CPUTIME_ID);
    if (ppr) {
      Must(igraph_personalized_pagerank_vs(&in->graph, IGRAPH_PAGERANK_ALGO_PRPACK, &scores, &unused, igraph_vss_all(),
                                           o->directed, 0.5, igraph_vss_vector(&seeds), NULL, NULL), "ppr");
    } else if (weighted) {
      Must(igraph_get_shortest_path_dijkstra(&in->graph, &nodes, &edges, from, to, &in->weights, IGRAPH_OUT), "wpath");
    } else {
      Must(igraph_get_shortest_path(&in->graph, &nodes, &edges, from, to, IGRAPH_OUT), "path");
    }
    cpu[q] = Clock(CLOCK_THREAD_CPUTIME_ID) - c0;
    wall[q] = Clock(CLOCK_MONOTONIC) - w0;
    if (ppr) {
      sum += igraph_vector_max(&scores);
      reached++;
    } else if (igraph_vector_int_size(&nodes) > 0) {
      reached++;
      for (igraph_integer_t i = 0; i < igraph_vector_int_size(&edges); i++)
        sum += weighted ? VECTOR(in->weights)[VECTOR(edges)[i]] : 1;
    }
    igraph_vector_int_destroy(&nodes);
    igraph_vector_int_destroy(&edges);
    igraph_vector_int_destroy(&seeds);
    igraph_vector_destroy(&scores);
  }
  qsort(cpu, queries, sizeof *cpu, Ascending);
  qsort(wall, queries, sizeof *wall, Ascending);
  r->queries = queries;
  r->reached = reached;
  r->value = reached ? sum / reached : 0;
  r->p50 = At(cpu, queries, 0.5);
  r->p99 = At(cpu, queries, 0.99);
  r->p50_wall = At(wall, queries, 0.5);
  r->p99_wall = At(wall, queries, 0.99);
  free(cpu);
  free(wall);
}

// Output is what an algorithm leaves; Judge makes figures of it.
typedef struct {
  igraph_vector_t reals;
  igraph_vector_int_t ints;
  igraph_integer_t count;
} Output;

// Run runs the algorithm: what is measured.
static void Run(const Options *o, const Input *in, Output *out, Result *r) {
  const igraph_t *g = &in->graph;
  igraph_vs_t all = igraph_vss_all();
  if (!strcmp(o->name, "kcore")) {
    Must(igraph_coreness(g, &out->ints, IGRAPH_ALL), "kcore");
  } else if (!strcmp(o->name, "bc") && !strcmp(o->argument, "exact")) {
    Must(igraph_betweenness(g, &out->reals, all, o->directed, NULL), "bc");
  } else if (!strcmp(o->name, "bc")) {
    igraph_vector_int_t sources;
    int k = atoi(o->argument);
    Must(igraph_vector_int_init(&sources, k), "bc");
    uint64_t state = 12345;
    for (int i = 0; i < k; i++) VECTOR(sources)[i] = Draw(&state, in->n);
    Must(igraph_betweenness_subset(g, &out->reals, all, o->directed, igraph_vss_vector(&sources), all, NULL), "bc");
    igraph_vector_int_destroy(&sources);
  } else if (!strncmp(o->name, "leiden", 6)) {
    const igraph_vector_t *w = !strcmp(o->name, "leiden_w") ? &in->weights : NULL;
    Must(igraph_strength(g, &out->reals, all, IGRAPH_ALL, IGRAPH_LOOPS, w), "leiden");
    double twice = igraph_vector_sum(&out->reals);
    igraph_real_t quality;
    Must(igraph_community_leiden(g, w, &out->reals, twice > 0 ? 1 / twice : 0, 0.01, 0,
                                 *o->argument ? atoi(o->argument) : 2, &out->ints, &out->count, &quality), "leiden");
  } else if (!strcmp(o->name, "pagerank")) {
    igraph_real_t unused;
    Must(igraph_pagerank(g, IGRAPH_PAGERANK_ALGO_PRPACK, &out->reals, &unused, all, o->directed, 0.85, NULL, NULL), "pagerank");
  } else if (!strcmp(o->name, "components")) {
    Must(igraph_connected_components(g, &out->ints, NULL, &out->count, IGRAPH_WEAK), "components");
  } else if (!strcmp(o->name, "clustering")) {
    Must(igraph_transitivity_local_undirected(g, &out->reals, all, IGRAPH_TRANSITIVITY_ZERO), "clustering");
  } else if (!strcmp(o->name, "ppr") || !strcmp(o->name, "path") || !strcmp(o->name, "wpath")) {
    Ask(o, in, r);
  } else {
    Die("no such task", o->task);
  }
}

static void Judge(const Options *o, const Input *in, const Output *out, Result *r) {
  if (!strcmp(o->name, "kcore")) r->value = igraph_vector_int_max(&out->ints);
  if (!strcmp(o->name, "bc")) r->value = igraph_vector_sum(&out->reals);
  if (!strcmp(o->name, "pagerank")) r->value = igraph_vector_max(&out->reals);
  if (!strcmp(o->name, "components")) r->value = out->count;
  if (!strcmp(o->name, "clustering")) r->value = igraph_vector_sum(&out->reals) / in->n;
  if (!strncmp(o->name, "leiden", 6)) {
    const igraph_vector_t *w = !strcmp(o->name, "leiden_w") ? &in->weights : NULL;
    Must(igraph_modularity(&in->graph, &out->ints, w, 1, IGRAPH_UNDIRECTED, &r->modularity), "modularity");
    if (isnan(r->modularity)) r->modularity = 0;  // no edges
    r->value = r->modularity;
    r->communities = out->count;
    r->nmi = Agreement(o, &out->ints);
  }
}

static Options Parse(int argc, char **argv) {
  Options o = {.engine = "igraph " IGRAPH_VERSION, .seed = 1, .reps = 1, .queries = 1000};
  for (int i = 1; i < argc; i++) {
    const char *flag = argv[i];
    if (!strcmp(flag, "--directed")) {
      o.directed = true;
      continue;
    }
    if (i + 1 == argc) Die(flag, "no value");
    const char *value = argv[++i];
    if (!strcmp(flag, "--graph")) o.graph = value;
    else if (!strcmp(flag, "--task")) o.task = value;
    else if (!strcmp(flag, "--labels")) o.labels = value;
    else if (!strcmp(flag, "--engine")) o.engine = value;
    else if (!strcmp(flag, "--seed")) o.seed = strtoul(value, NULL, 10);
    else if (!strcmp(flag, "--reps")) o.reps = atoi(value);
    else if (!strcmp(flag, "--queries")) o.queries = atoi(value);
    else Die("no such flag", flag);
  }
  if (!o.graph || !o.task) Die("usage", "--graph and --task are needed");
  if (o.reps < 1 || o.reps > kMaxReps || o.queries < 1) Die("usage", "--reps or --queries");
  const char *colon = strchr(o.task, ':');
  size_t length = colon ? (size_t)(colon - o.task) : strlen(o.task);
  if (length >= sizeof o.name) Die("no such task", o.task);
  memcpy(o.name, o.task, length);
  o.name[length] = 0;
  o.argument = colon ? colon + 1 : "";
  return o;
}

int main(int argc, char **argv) {
  Options o = Parse(argc, argv);
  igraph_set_warning_handler(igraph_warning_handler_ignore);  // of pairs without a path
  Input in;
  ReadGraph(&o, &in);
  Result r = {.communities = -1, .nmi = NAN};
  Output out;
  Must(igraph_vector_init(&out.reals, 0), "memory");
  Must(igraph_vector_int_init(&out.ints, 0), "memory");
  double cpu[kMaxReps], wall[kMaxReps];
  for (int i = 0; i < o.reps; i++) {
    Must(igraph_rng_seed(igraph_rng_default(), o.seed), "seed");
    double c0 = ProcessTime(), w0 = Clock(CLOCK_MONOTONIC);
    Run(&o, &in, &out, &r);
    cpu[i] = ProcessTime() - c0;
    wall[i] = Clock(CLOCK_MONOTONIC) - w0;
  }
  Judge(&o, &in, &out, &r);
  qsort(cpu, o.reps, sizeof *cpu, Ascending);
  qsort(wall, o.reps, sizeof *wall, Ascending);
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  const char *slash = strrchr(o.graph, '/');
  const char *base = slash ? slash + 1 : o.graph;
  printf("{\"v\":1,\"engine\":\"%s\",\"graph\":\"%.*s\",\"task\":\"%s\",\"nodes\":%ld,\"edges\":%ld,"
         "\"load_cpu_s\":%.6f,\"project_cpu_s\":0,\"cpu_s\":%.6f,\"cpu_median_s\":%.6f,\"wall_s\":%.6f,"
         "\"wall_median_s\":%.6f,\"total_cpu_s\":%.6f,\"peak_mb\":%.2f,\"value\":%.12g",
         o.engine, (int)strcspn(base, "."), base, o.task, (long)in.n, (long)in.m, in.load, cpu[0],
         (cpu[o.reps / 2] + cpu[(o.reps - 1) / 2]) / 2, wall[0], (wall[o.reps / 2] + wall[(o.reps - 1) / 2]) / 2,
         in.load + cpu[0], u.ru_maxrss / 1024.0, r.value);
  if (r.communities >= 0) printf(",\"modularity\":%.12g,\"communities\":%ld", r.modularity, r.communities);
  if (!isnan(r.nmi)) printf(",\"nmi\":%.12g", r.nmi);
  if (r.queries > 0) {
    printf(",\"queries\":%d,\"p50_us\":%.3f,\"p99_us\":%.3f,\"p50_wall_us\":%.3f,\"p99_wall_us\":%.3f,\"more\":{\"reached\":%ld}",
           r.queries, r.p50, r.p99, r.p50_wall, r.p99_wall, r.reached);
  }
  printf(",\"seed\":%lu,\"workers\":1,\"reps\":%d}\n", o.seed, o.reps);
  return 0;
}
