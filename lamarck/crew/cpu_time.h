// The CPU time of a thread.

#pragma once

namespace lamarck::crew {

// What the calling thread has used since it started.
double thread_cpu_seconds();

}  // namespace lamarck::crew
