// A simulated accelerator: torch's PrivateUse1 backend with two devices, made to be stricter than a CPU.
//
// - Memory lies at addresses that the CPU cannot touch; fresh and freed memory is poison (NaN).
// - Operations run on the CPU over untagged aliases, so that values must be the CPU's. A CPU tensor in an operation of the
//   device, or tensors of both devices, are an error, as CUDA has it.
// - A copy to pinned memory that nobody waits for arrives when somebody waits. A pinned source that is changed before that
//   is told of: on a GPU the copy might have seen either.
// - Everything that waits, and every copy between host and device, is told to a callback, which may refuse it.
// - Memory runs out, or the device is lost, at a chosen allocation or operation.
//
// It knows nothing of time, of streams' order or of CUDA's kernels and allocator.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/Tensor.h>
#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/histc.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

namespace {

using at::Tensor;
constexpr auto DEVICE = c10::DeviceType::PrivateUse1;
constexpr uint64_t TAG = 1ULL << 60;  // no canonical address of the CPU has this bit alone
constexpr c10::DeviceIndex DEVICES = 2;
constexpr size_t HEADER = 64;

thread_local c10::DeviceIndex current = 0;
thread_local bool replaying = false;

using Callback = int (*)(const char* kind, const char* what);  // 0: go on; 1: not while capturing
Callback callback = nullptr;

void tell(const char* kind, const std::string& what) {
  if (callback != nullptr && callback(kind, what.c_str()) != 0)
    TORCH_CHECK(false, "CUDA error: operation not permitted when stream is capturing (simulated): ", kind, " ", what);
}

// --- failures ------------------------------------------------------------------------------------------------------

std::atomic<int64_t> allocations_left{-1};  // until memory runs out once; -1: never
std::atomic<int64_t> operations_left{-1};   // until the device is lost for good; -1: never

void count_allocation() {
  if (replaying || allocations_left < 0) return;
  if (allocations_left-- == 0)
    TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory (simulated)");
}

void count_operation() {
  if (operations_left < 0) return;
  if (operations_left == 0)
    TORCH_CHECK(false, "CUDA error: an illegal memory access was encountered (simulated)");
  operations_left--;
}

// --- memory --------------------------------------------------------------------------------------------------------

std::atomic<int64_t> allocated{0}, peak{0};

char* untagged(const void* address) { return reinterpret_cast<char*>(reinterpret_cast<uint64_t>(address) & ~TAG); }

void release(void* address) {
  if (address == nullptr) return;
  char* block = untagged(address) - HEADER;
  const auto size = *reinterpret_cast<int64_t*>(block);
  allocated -= size;
  std::memset(block + HEADER, 0xFF, size);
  free(block);
}

struct DeviceAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t size) override {
    count_allocation();
    void* block = nullptr;
    TORCH_CHECK(posix_memalign(&block, HEADER, size + 2 * HEADER) == 0, "no host memory");
    *static_cast<int64_t*>(block) = static_cast<int64_t>(size);
    char* data = static_cast<char*>(block) + HEADER;
    std::memset(data, 0xFF, size);
    allocated += static_cast<int64_t>(size);
    if (allocated > peak) peak = allocated.load();
    void* address = reinterpret_cast<void*>(reinterpret_cast<uint64_t>(data) | TAG);
    return {address, address, &release, c10::Device(DEVICE, current)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, size_t size) const override {
    std::memcpy(untagged(to), untagged(from), size);
  }
};
DeviceAllocator device_memory;

std::map<const char*, size_t> pinned;
std::mutex pinned_lock;

void release_pinned(void* address) {
  std::lock_guard<std::mutex> guard(pinned_lock);
  pinned.erase(static_cast<const char*>(address));
  free(address);
}

struct PinnedAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t size) override {
    void* address = nullptr;
    TORCH_CHECK(posix_memalign(&address, HEADER, size + HEADER) == 0, "no host memory");
    std::memset(address, 0xFF, size);
    std::lock_guard<std::mutex> guard(pinned_lock);
    pinned[static_cast<const char*>(address)] = size + 1;
    return {address, address, &release_pinned, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release_pinned; }
  void copy_data(void* to, const void* from, size_t size) const override { std::memcpy(to, from, size); }
};
PinnedAllocator pinned_memory;

bool is_pinned(const void* address) {
  std::lock_guard<std::mutex> guard(pinned_lock);
  auto next = pinned.upper_bound(static_cast<const char*>(address));
  if (next == pinned.begin()) return false;
  --next;
  return static_cast<const char*>(address) < next->first + next->second;
}

// --- what happens when somebody waits --------------------------------------------------------------------------------

struct Download {
  Tensor to, from;
};
struct Upload {
  Tensor from, as_it_was;
};
std::vector<Download> downloads;
std::vector<Upload> uploads;
std::mutex waiting_lock;

void arrive() {
  std::vector<Download> down;
  std::vector<Upload> up;
  {
    std::lock_guard<std::mutex> guard(waiting_lock);
    down.swap(downloads);
    up.swap(uploads);
  }
  c10::InferenceMode inference;
  for (auto& [to, from] : down) std::memcpy(to.data_ptr(), from.data_ptr(), from.nbytes());
  for (auto& [from, as_it_was] : up)  // a source that nobody else holds is kept by CUDA's allocator until it is read
    if (from.storage().use_count() > 1 && std::memcmp(from.data_ptr(), as_it_was.data_ptr(), from.nbytes()) != 0)
      tell("overwritten upload", c10::str(from.sizes()));
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return DEVICE; }
  c10::Device exchangeDevice(c10::Device device) const override {
    c10::Device before(DEVICE, current);
    current = device.index();
    return before;
  }
  c10::Device getDevice() const override { return c10::Device(DEVICE, current); }
  void setDevice(c10::Device device) const override { current = device.index(); }
  void uncheckedSetDevice(c10::Device device) const noexcept override { current = device.index(); }
  c10::Stream getStream(c10::Device device) const override { return c10::Stream(c10::Stream::DEFAULT, device); }
  c10::Stream getDefaultStream(c10::Device device) const override { return getStream(device); }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override { return getStream(device); }
  c10::Stream getNewStream(c10::Device device, int) const override { return getStream(device); }
  c10::Stream exchangeStream(c10::Stream stream) const override { return getStream(stream.device()); }
  void record(void** event, const c10::Stream&, const c10::DeviceIndex, const c10::EventFlag) const override {
    *event = reinterpret_cast<void*>(1);
  }
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void destroyEvent(void*, const c10::DeviceIndex) const noexcept override {}
  c10::DeviceIndex deviceCount() const noexcept override { return DEVICES; }
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream&) const override { arrive(); }
  void synchronizeEvent(void*) const override { arrive(); }
  void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream&) const override {}
  void synchronizeDevice(const c10::DeviceIndex) const override { arrive(); }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

struct On {  // makes a device the current one for a while; below 0: whatever is
  c10::DeviceIndex before = current;
  explicit On(c10::DeviceIndex index) {
    if (index >= 0) current = index;
  }
  ~On() { current = before; }
};

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
    return at::detail::getDefaultCPUGenerator();
  }
  at::Device getDeviceFromPtr(void*) const override { return c10::Device(DEVICE, current); }
  bool isPinnedPtr(const void* address) const override { return is_pinned(address); }
  at::Allocator* getPinnedMemoryAllocator() const override { return &pinned_memory; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  at::DeviceIndex deviceCount() const override { return DEVICES; }
  at::DeviceIndex getCurrentDevice() const override { return current; }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t size) const override {
    On device(storage.device().index());
    auto fresh = device_memory.allocate(size);
    std::memcpy(untagged(fresh.get()), untagged(storage.data()), std::min(size, storage.nbytes()));
    storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(fresh));
    storage.unsafeGetStorageImpl()->set_nbytes(size);
  }
};
Hooks hooks;

// --- tensors -------------------------------------------------------------------------------------------------------

constexpr c10::DispatchKeySet KEYS(c10::DispatchKey::PrivateUse1);

Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> type, std::optional<at::Layout>,
             std::optional<at::Device> where, std::optional<bool>, std::optional<at::MemoryFormat> format) {
  On device(where && where->has_index() ? where->index() : -1);
  return at::detail::empty_generic(size, &device_memory, KEYS, at::dtype_or_default(type), format);
}

Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride, std::optional<at::ScalarType> type,
                     std::optional<at::Layout>, std::optional<at::Device> where, std::optional<bool>) {
  On device(where && where->has_index() ? where->index() : -1);
  return at::detail::empty_strided_generic(size, stride, &device_memory, KEYS, at::dtype_or_default(type));
}

bool here(const Tensor& tensor) { return tensor.defined() && tensor.device().type() == DEVICE; }

Tensor untagged_of(const Tensor& tensor) {  // a CPU tensor over the same memory
  if (!here(tensor)) return tensor;
  char* data = untagged(tensor.storage().data()) + tensor.storage_offset() * tensor.itemsize();
  auto keep = tensor.storage();
  return at::from_blob(data, tensor.sizes(), tensor.strides(), [keep](void*) {},
                       at::TensorOptions().dtype(tensor.dtype()).device(at::kCPU));
}

Tensor moved(const Tensor& tensor, c10::DeviceIndex index) {  // a CPU result, in the device's memory
  if (!tensor.defined() || here(tensor)) return tensor;
  const c10::Device device(DEVICE, index);
  Tensor found = tensor.is_non_overlapping_and_dense()
      ? empty_strided(tensor.sizes(), tensor.strides(), tensor.scalar_type(), {}, device, {})
      : empty(tensor.sizes(), tensor.scalar_type(), {}, device, {}, {});
  untagged_of(found).copy_(tensor);
  return found;
}

Tensor copy_from(const Tensor& from, const Tensor& to, bool non_blocking) {
  count_operation();
  const auto what = c10::str(from.sizes(), " ", from.scalar_type());
  if (here(from) && here(to)) {
    untagged_of(to).copy_(untagged_of(from));
  } else if (here(to)) {
    const bool free = non_blocking && from.is_pinned();
    tell(free ? "upload" : "blocking upload", what);
    untagged_of(to).copy_(from);
    if (free && from.is_contiguous()) {
      std::lock_guard<std::mutex> guard(waiting_lock);
      uploads.push_back({from.alias(), from.clone()});
    }
  } else if (non_blocking && to.is_pinned() && to.is_contiguous() && from.scalar_type() == to.scalar_type()) {
    tell("download", what);
    std::memset(to.data_ptr(), 0xFF, to.nbytes());
    std::lock_guard<std::mutex> guard(waiting_lock);
    downloads.push_back({to, untagged_of(from).contiguous().clone()});
  } else {
    tell("blocking download", what);
    arrive();
    const_cast<Tensor&>(to).copy_(untagged_of(from));
  }
  return to;
}

Tensor copy_from_and_resize(const Tensor& from, const Tensor& to) {
  if (to.sizes() != from.sizes()) const_cast<Tensor&>(to).resize_(from.sizes());
  return copy_from(from, to, false);
}

at::Scalar item(const Tensor& tensor) {
  count_operation();
  tell("item", c10::str(tensor.scalar_type()));
  arrive();
  return untagged_of(tensor).item();
}

const Tensor& resize(const Tensor& self, at::IntArrayRef size, std::optional<at::MemoryFormat>) {
  const auto needed = (c10::multiply_integers(size) + self.storage_offset()) * self.itemsize();
  if (static_cast<int64_t>(self.storage().nbytes()) < static_cast<int64_t>(needed))
    hooks.resizePrivateUse1Bytes(self.storage(), needed);
  self.unsafeGetTensorImpl()->set_sizes_contiguous(size);
  return self;
}

Tensor as_strided(const Tensor& self, at::IntArrayRef size, at::IntArrayRef stride, std::optional<int64_t> offset) {
  return at::native::as_strided_tensorimpl(self, size, stride, offset);
}

Tensor& set_storage(Tensor& self, at::Storage storage, int64_t offset, at::IntArrayRef size, at::IntArrayRef stride) {
  return at::native::set_storage_cpu_(self, std::move(storage), offset, size, stride);
}

// --- every other operation: on the CPU, over aliases -----------------------------------------------------------------

const std::set<std::string> WAITS = {  // the shape of what they return depends on values
    "aten::nonzero", "aten::masked_select", "aten::_unique2", "aten::unique_dim", "aten::unique_consecutive",
    "aten::equal", "aten::bincount", "aten::repeat_interleave.Tensor", "aten::is_nonzero", "aten::allclose"};
const std::set<std::string> UPLOADS_INDICES = {"aten::index", "aten::index_put_", "aten::_index_put_impl_"};

struct Arguments {  // what a call is given: where it runs, and what of it is not on the device
  std::string name;
  c10::DeviceIndex index = -1;
  bool by_mask = false;

  Tensor taken(const Tensor& tensor, const std::string& argument) {
    if (!tensor.defined()) return tensor;
    if (here(tensor)) {
      const auto own = tensor.device().index();
      TORCH_CHECK(index < 0 || index == own || tensor.dim() == 0,
                  "Expected all tensors to be on the same device (simulated): ", name, " on ", index, " and ", own);
      if (index < 0) index = own;
      return untagged_of(tensor);
    }
    if (tensor.dim() > 0) {
      TORCH_CHECK(UPLOADS_INDICES.count(name),
                  "Expected all tensors to be on the same device (simulated): ", name, " takes a CPU tensor ",
                  tensor.sizes(), " as ", argument);
      tell("blocking upload", name + " with a CPU index");
    }
    return tensor;
  }
};

void run(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
  count_operation();
  const auto& schema = op.schema();
  const auto count = schema.arguments().size();
  const auto first = stack->size() - count;
  Arguments arguments{schema.name()};
  std::vector<std::pair<size_t, Tensor>> written;
  for (size_t i = 0; i < count; i++) {
    auto& value = (*stack)[first + i];
    const auto& argument = schema.arguments()[i];
    if (value.isTensor()) {
      const Tensor tensor = value.toTensor();
      value = arguments.taken(tensor, argument.name());
      if (here(tensor) && argument.alias_info() && argument.alias_info()->isWrite()) {
        written.emplace_back(i, tensor);
        if (tensor.numel() == 0) value = at::empty(tensor.sizes(), tensor.options().device(at::kCPU));  // it may grow
      }
    } else if (value.isTensorList()) {
      c10::List<Tensor> list;
      for (const Tensor& tensor : value.toTensorVector()) list.push_back(arguments.taken(tensor, argument.name()));
      value = list;
    } else if (value.isOptionalTensorList()) {
      c10::List<std::optional<Tensor>> list;
      for (const std::optional<Tensor>& tensor : value.toOptionalTensorVector()) {
        const bool given = tensor && tensor->defined();
        if (given && tensor->scalar_type() == at::kBool) arguments.by_mask = true;
        list.push_back(given ? std::optional<Tensor>(arguments.taken(*tensor, argument.name())) : std::nullopt);
      }
      value = list;
    } else if (value.isDevice() && value.toDevice().type() == DEVICE) {
      if (value.toDevice().has_index()) arguments.index = value.toDevice().index();
      value = c10::Device(at::kCPU);
    }
  }
  const auto index = arguments.index < 0 ? current : arguments.index;
  const auto overload = schema.overload_name().empty() ? schema.name() : schema.name() + "." + schema.overload_name();
  if (arguments.by_mask || WAITS.count(schema.name()) || WAITS.count(overload)) {
    tell("wait", arguments.by_mask ? schema.name() + " by a mask" : schema.name());
    arrive();
  }
  op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  const auto& returns = schema.returns();
  const auto results = stack->size() - returns.size();
  for (size_t i = 0; i < returns.size(); i++) {
    auto& value = (*stack)[results + i];
    if (value.isTensorList()) {
      c10::List<Tensor> list;
      for (const Tensor& tensor : value.toTensorVector()) list.push_back(moved(tensor, index));
      value = list;
    } else if (value.isTensor()) {
      const auto* aliased = returns[i].alias_info();
      for (auto& [place, tensor] : written) {
        const auto* own = schema.arguments()[place].alias_info();
        if (!aliased || !aliased->isWrite() || !(*own == *aliased)) continue;
        const Tensor result = value.toTensor();
        if (result.sizes() != tensor.sizes()) {
          tensor.resize_(result.sizes());
          untagged_of(tensor).copy_(result);
        }
        value = tensor;
        break;
      }
      value = moved(value.toTensor(), index);
    }
  }
}

// torch's CPU has no histogram of half precision or integers.
Tensor histc(const Tensor& self, int64_t bins, const at::Scalar& least, const at::Scalar& most) {
  return moved(at::histc(untagged_of(self).to(at::kFloat), bins, least, most).to(self.scalar_type()), self.device().index());
}

const bool registered = [] {
  at::RegisterPrivateUse1HooksInterface(&hooks);
  c10::SetAllocator(DEVICE, &device_memory);
  return true;
}();

}  // namespace

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&run>()); }

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("as_strided", as_strided);
  m.impl("view", at::native::view);
  m.impl("_reshape_alias", at::native::_reshape_alias);
  m.impl("unfold", at::native::unfold);
  m.impl("histc", histc);
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("_local_scalar_dense", item);
  m.impl("resize_", resize);
  m.impl("set_.source_Storage_storage_offset", set_storage);
  m.impl("set_.source_Tensor", at::native::set_tensor_);
  for (const char* whole :  // one kernel each here, as they are (nearly) on a GPU
       {"scaled_dot_product_attention", "linear", "matmul", "layer_norm", "convolution", "_convolution", "conv1d",
        "conv2d", "conv3d", "conv_transpose2d", "_grouped_mm"})
    m.impl(whole, torch::CppFunction::makeFromBoxedFunction<&run>());
}

extern "C" {
void on_event(Callback function) { callback = function; }
void wait_for_device() { arrive(); }
int current_device() { return current; }
void set_device(int index) { current = static_cast<c10::DeviceIndex>(index); }
int device_count() { return DEVICES; }
void set_replaying(int on) { replaying = on != 0; }
void run_out_of_memory_after(int64_t allocations) { allocations_left = allocations; }
int64_t allocations_left_now() { return allocations_left; }
void lose_after(int64_t operations) { operations_left = operations; }
int64_t memory_allocated() { return allocated; }
int64_t max_memory_allocated() { return peak; }
void reset_peak() { peak = allocated.load(); }
}
