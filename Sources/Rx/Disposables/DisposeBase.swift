/// What the library's disposables have in common: they are counted in `Resources` where those are counted.
// Sound: it has no state of its own.
public class DisposeBase: @unchecked Sendable {
    #if DEBUG || TRACE_RESOURCES
        private let counted = CountedResource()
    #endif

    init() {}
}
