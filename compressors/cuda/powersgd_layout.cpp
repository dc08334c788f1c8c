#include "compressors/cuda/powersgd_layout.hpp"

#include <algorithm>

namespace gradwire {

PowerSgdLayout make_powersgd_layout(const DeviceSetting& setting) {
  PowerSgdLayout layout;
  std::int64_t begin = 0;
  for (const TensorShape& shape : setting.shapes) {
    const std::int64_t elements = shape.elements().count();
    const std::vector<Transfer> transfers = setting.scheme.transfers({shape});
    const auto p = std::find_if(transfers.begin(), transfers.end(),
                                [](const Transfer& transfer) { return transfer.what == "P"; });
    if (p != transfers.end()) {
      const std::int64_t rows = shape.rows();
      const std::int64_t rank = p->elements.count() / rows;
      layout.matrices.push_back({begin, rows, elements / rows, static_cast<int>(rank),
                                 layout.p_elements, layout.q_elements});
      layout.p_elements += rows * rank;
      layout.q_elements += elements / rows * rank;
    } else if (elements > 0) {
      layout.plain.push_back({begin, elements, layout.plain_elements});
      layout.plain_elements += elements;
    }
    begin += elements;
  }
  return layout;
}

}  // namespace gradwire
