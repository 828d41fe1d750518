/// What tests must know of the sanitizer that this build has, where it has one: `make sanitize` defines which.
package enum Sanitizer {
    #if THREAD_SANITIZER || ADDRESS_SANITIZER
        /// Whether this build has one. Then the process's memory is the sanitizer's, mostly, and says nothing of ours.
        package static let isOn = true
    #else
        /// Whether this build has one. Then the process's memory is the sanitizer's, mostly, and says nothing of ours.
        package static let isOn = false
    #endif

    /// How many times as long what is promised in time may take: every access to memory is looked at. 1 in a plain build.
    package static let slowdown = isOn ? 10 : 1
}
