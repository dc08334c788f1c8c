/* One MPI_Allreduce of float32, timed on SMPI's simulated clock. Usage: smpi_ring ELEMENTS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 2) return 1;
  const int elements = atoi(argv[1]);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  float* in = malloc(sizeof(float) * (size_t)elements);
  float* out = malloc(sizeof(float) * (size_t)elements);
  for (int i = 0; i < elements; ++i) in[i] = 1.0f;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  MPI_Allreduce(in, out, elements, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  const double mine = MPI_Wtime() - start;
  double longest = 0.0;
  MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) printf("seconds %.12g sum %g\n", longest, (double)out[elements - 1]);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
