/// The sanitizer of this build, if any; `make sanitize` defines it.
package enum Sanitizer {
    #if THREAD_SANITIZER || ADDRESS_SANITIZER
        /// Whether this build has a sanitizer. Its own memory makes measurements of the process meaningless.
        package static let isOn = true
    #else
        /// Whether this build has a sanitizer. Its own memory makes measurements of the process meaningless.
        package static let isOn = false
    #endif

    /// The factor for time limits of tests, since sanitizers slow every memory access. 1 in a plain build.
    package static let slowdown = isOn ? 10 : 1
}
