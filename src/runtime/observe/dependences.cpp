#include "runtime/observe/dependences.h"

namespace einkorn::runtime::observe {

namespace {

void record_all(record::Stream* s, const Dependence* list, int count) {
  for (int i = 0; i < count; ++i) s->depend(list[i].address, list[i].bytes, list[i].mode);
}

void tell_all(Worker* w, tool::TaskData* t, const Dependence* list, int count) {
  auto* told = static_cast<ompt_dependence_t*>(__builtin_alloca(sizeof(ompt_dependence_t) * size_t(count)));
  for (int i = 0; i < count; ++i) {
    told[i].variable.value = list[i].address;
    switch (list[i].mode) {
      case kDepIn: told[i].dependence_type = ompt_dependence_type_in; break;
      case kDepOut: told[i].dependence_type = ompt_dependence_type_inout; break;  // out and inout are one here
      case kDepMutexInOutSet: told[i].dependence_type = ompt_dependence_type_mutexinoutset; break;
      case kDepInOutSet: told[i].dependence_type = ompt_dependence_type_inoutset; break;
      case kDepAllMemory: told[i].dependence_type = ompt_dependence_type_out_all_memory; break;
    }
  }
  tool::dependences(w, t, told, count);
}

}  // namespace

void queued_with(Worker* w, Task* t, const Dependence* list, int count) {
  if (EK_LIKELY(w->stream == nullptr)) return;
  record_all(w->stream, list, count);
  if (w->tool) tell_all(w, tool::data_of(t), list, count);
}

void ran_with(Worker* w, const Dependence* list, int count) {
  if (EK_UNLIKELY(w->stream != nullptr)) record_all(w->stream, list, count);
}

DependentWait::DependentWait(Worker* w, const Dependence* list, int count, Caller caller, bool recorded, uint32_t site)
    : w_(w), recorded_(recorded) {
  if (recorded) {
    w->stream->wait_begin(ticks(), site);
    record_all(w->stream, list, count);
  }
  if (!w->tool) return;
  told_.emplace(w, caller);
  tool::taskwait_begin(w, &told_->task, caller);
  tell_all(w, &told_->task, list, count);
}

DependentWait::~DependentWait() {
  if (told_) tool::taskwait_end(w_, &told_->task);
  told_.reset();
  if (recorded_) w_->stream->wait_end(ticks());
}

void ordered_without_wait(Worker* w, const Dependence* list, int count, Caller caller, uint16_t site_flags) {
  if (EK_LIKELY(w->stream == nullptr)) return;
  w->stream->wait_begin(ticks(), taskwait_site(w, site_flags | record::kSiteNowait, caller));
  record_all(w->stream, list, count);
  w->stream->wait_end(ticks());
}

}  // namespace einkorn::runtime::observe
