/// The base class of the library's disposables. Debug builds count them in `Resources`.
// Sound: it has no mutable state.
public class DisposeBase: @unchecked Sendable {
    // Sound: it has no mutable state.
    #if DEBUG || TRACE_RESOURCES
        private let counted = CountedResource()
    #endif

    init() {}
}
