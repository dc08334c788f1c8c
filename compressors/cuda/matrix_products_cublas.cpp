// Row-major for cuBLAS, which is column-major: what lies there as rows x columns is, to it, the
// transpose. So result^T = right^T x left^T is asked for, with `left` transposed or not.

#include <cublas_v2.h>
#include <dlfcn.h>

#include <map>
#include <string>
#include <tuple>

#include "base/errors.hpp"
#include "compressors/cuda/matrix_products.hpp"

namespace gradwire {
namespace {

// Of its own, so that a graph can capture the call. Products this thin need little.
constexpr std::size_t kWorkspaceBytes = 4U << 20;

/// cuBLAS, loaded when the first products are made: half a gigabyte that no other command needs.
struct Cublas {
  decltype(&cublasGetStatusString) status_text;
  decltype(&cublasCreate_v2) create;
  decltype(&cublasDestroy_v2) destroy;
  decltype(&cublasSetStream_v2) set_stream;
  decltype(&cublasSetWorkspace_v2) set_workspace;
  decltype(&cublasSgemm_v2) product;
  decltype(&cublasSgemmGroupedBatched) grouped_products;
};

template <class Function>
void load(void* library, const char* name, Function& to) {
  to = reinterpret_cast<Function>(dlsym(library, name));
  if (to == nullptr) throw EnvironmentError(std::string{"cuBLAS has no "} + name);
}

Cublas load_cublas() {
  const std::string name = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    throw EnvironmentError("cuBLAS cannot be loaded: " + (reason == nullptr ? name : reason));
  }
  Cublas cublas{};
  load(library, "cublasGetStatusString", cublas.status_text);
  load(library, "cublasCreate_v2", cublas.create);
  load(library, "cublasDestroy_v2", cublas.destroy);
  load(library, "cublasSetStream_v2", cublas.set_stream);
  load(library, "cublasSetWorkspace_v2", cublas.set_workspace);
  load(library, "cublasSgemm_v2", cublas.product);
  load(library, "cublasSgemmGroupedBatched", cublas.grouped_products);
  return cublas;
}

const Cublas& cublas() {
  static const Cublas kLoaded = load_cublas();
  return kLoaded;
}

void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw EnvironmentError(std::string{what} + ": " + cublas().status_text(status));
}

}  // namespace

class MatrixProducts::Library {
 public:
  explicit Library(const std::vector<MatrixProduct>& products) : workspace_(kWorkspaceBytes) {
    // Products of one shape are one group.
    std::map<std::tuple<bool, int, int, int>, std::vector<const MatrixProduct*>> groups;
    for (const MatrixProduct& product : products) {
      groups[{product.transposes_left, product.rows, product.columns, product.right_columns}]
          .push_back(&product);
    }
    std::vector<const float*> lefts;
    std::vector<const float*> rights;
    std::vector<float*> results;
    for (const auto& [shape, members] : groups) {
      const auto& [transposes_left, rows, columns, right_columns] = shape;
      as_it_is_.push_back(CUBLAS_OP_N);
      left_operation_.push_back(transposes_left ? CUBLAS_OP_T : CUBLAS_OP_N);
      m_.push_back(right_columns);
      n_.push_back(transposes_left ? columns : rows);
      k_.push_back(transposes_left ? rows : columns);
      right_stride_.push_back(right_columns);
      left_stride_.push_back(columns);
      one_.push_back(1.0F);
      zero_.push_back(0.0F);
      group_size_.push_back(static_cast<int>(members.size()));
      for (const MatrixProduct* product : members) {
        lefts.push_back(product->left);
        rights.push_back(product->right);
        results.push_back(product->result);
      }
    }
    if (!products.empty()) {
      left_ = lefts.front();
      right_ = rights.front();
      result_ = results.front();
    }
    lefts_ = DeviceArray<const float*>(lefts);
    rights_ = DeviceArray<const float*>(rights);
    results_ = DeviceArray<float*>(results);
    check(cublas().create(&handle_), "cuBLAS cannot be used");
    check(cublas().set_workspace(handle_, workspace_.get(), kWorkspaceBytes), "cuBLAS's workspace");
  }
  ~Library() { static_cast<void>(cublas().destroy(handle_)); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void run(Stream stream) {
    if (group_size_.empty()) return;
    check(cublas().set_stream(handle_, stream), "cuBLAS's stream");
    check(cublas().set_workspace(handle_, workspace_.get(), kWorkspaceBytes), "cuBLAS's workspace");
    if (group_size_.size() == 1 && group_size_[0] == 1) {
      check(cublas().product(handle_, as_it_is_[0], left_operation_[0], m_[0], n_[0], k_[0],
                             &one_[0], right_, right_stride_[0], left_, left_stride_[0], &zero_[0],
                             result_, right_stride_[0]),
            "cuBLAS's product");
      return;
    }
    check(cublas().grouped_products(handle_, as_it_is_.data(), left_operation_.data(), m_.data(),
                                    n_.data(), k_.data(), one_.data(), rights_.get(),
                                    right_stride_.data(), lefts_.get(), left_stride_.data(),
                                    zero_.data(), results_.get(), right_stride_.data(),
                                    static_cast<int>(group_size_.size()), group_size_.data()),
          "cuBLAS's grouped products");
  }

 private:
  cublasHandle_t handle_ = nullptr;
  DeviceArray<char> workspace_;
  // By group, in host memory.
  std::vector<cublasOperation_t> as_it_is_;
  std::vector<cublasOperation_t> left_operation_;
  std::vector<int> m_;
  std::vector<int> n_;
  std::vector<int> k_;
  std::vector<int> right_stride_;
  std::vector<int> left_stride_;
  std::vector<float> one_;
  std::vector<float> zero_;
  std::vector<int> group_size_;
  // The first product's, for where it is the only one.
  const float* left_ = nullptr;
  const float* right_ = nullptr;
  float* result_ = nullptr;
  // By product, group after group, in device memory.
  DeviceArray<const float*> lefts_;
  DeviceArray<const float*> rights_;
  DeviceArray<float*> results_;
};

MatrixProducts::MatrixProducts(const std::vector<MatrixProduct>& products)
    : library_(std::make_unique<Library>(products)) {}
MatrixProducts::~MatrixProducts() = default;

void MatrixProducts::run(Stream stream) { library_->run(stream); }

}  // namespace gradwire
