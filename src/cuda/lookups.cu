// lookups.cu: lookups and where their tables lie, on a device.
#include "cuda/lookups.h"

#include "cuda/runtime.h"

namespace posenc::cuda {
namespace {

struct LookupsCopy {
  DeviceMemory memory;
  const DeviceLookup* list;
};

LookupsCopy copy_lookups(const DeviceStream& stream, const Lookups& lookups) {
  std::vector<DeviceLookup> list;
  for (const Lookup& lookup : lookups.list) {
    const Tensor& table = lookups.tables[static_cast<size_t>(lookup.weight)];
    list.push_back({lookup, table.data, table.dtype, table.step(0), table.step(1)});
  }
  Arrays arrays;
  const size_t at = arrays.add(list);
  LookupsCopy out{arrays.upload(stream, "lookups of a scheme"), nullptr};
  out.list = reinterpret_cast<const DeviceLookup*>(out.memory.data() + at);
  return out;
}

}  // namespace

const DeviceLookup* lookups_on(const DeviceStream& stream, const RowSource& rows) {
  return rows.copies
      ->get<LookupsCopy>(stream.device(), [&] { return copy_lookups(stream, rows.lookups); })
      .list;
}

}  // namespace posenc::cuda
