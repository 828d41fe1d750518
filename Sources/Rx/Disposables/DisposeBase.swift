/// What the library's disposables have in common: they are counted in `Resources` where those are counted.
public class DisposeBase: @unchecked Sendable {
    // Sound: it holds nothing.
    #if DEBUG || TRACE_RESOURCES
        private let counted = CountedResource()
    #endif

    init() {}
}
