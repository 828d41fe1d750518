/// A strong reference in a `var`, used without a retain each time: the retains would take a quarter of a
/// joined event's time. Not generic, because destroying a generic field looks up metadata.
struct OwnedLink: ~Copyable {
    // Sound: retained once when it is stored, released once in `deinit`; `take()` moves it out.
    private var link: BorrowedLink

    @inline(__always)
    init() {
        link = BorrowedLink()
    }

    @inline(__always)
    init(_ link: consuming Link) {
        self.link = BorrowedLink(retaining: consume link)
    }

    @inline(__always)
    private init(moved link: BorrowedLink) {
        self.link = link
    }

    deinit {
        link.release()
    }

    @inline(__always)
    var isEmpty: Bool { link.isEmpty }

    /// The reference to use now. Reading it is a short access that ends before the object is used.
    @inline(__always)
    var borrowed: BorrowedLink { link }

    /// Moves the reference out for `Link.free(_:)`.
    mutating func takeLink() -> Link? {
        let old = link
        link = BorrowedLink()
        return old.moved()
    }

    /// Moves the reference out, so that the object is released after the access to this property has ended.
    @inline(__always)
    mutating func take() -> OwnedLink {
        let old = link
        link = BorrowedLink()
        return OwnedLink(moved: old)
    }
}

/// An unretained reference: another owner keeps the object alive while this is used.
// Sound: only the gate's owner uses and drops a join's slots; a slot's join is set before its source starts
// and lives as long as the slot.
struct BorrowedLink {
    private let link: Unmanaged<Link>?

    @inline(__always)
    fileprivate init(retaining link: consuming Link) {
        self.link = Unmanaged.passRetained(consume link)
    }

    @inline(__always)
    fileprivate func release() {
        link?.release()
    }

    fileprivate func moved() -> Link? {
        link?.takeRetainedValue()
    }

    @inline(__always)
    init(_ link: Link) {
        self.link = Unmanaged.passUnretained(link)
    }

    @inline(__always)
    init() {
        link = nil
    }

    @inline(__always)
    var isEmpty: Bool { link == nil }

    /// Calls `body` with the object, which must exist.
    @inline(__always)
    func use<Object: Link, Result>(as type: Object.Type, _ body: (Object) throws -> Result) rethrows -> Result
    {
        guard let link else { preconditionFailure("a dropped reference was used") }
        // Sound: callers name the class of the object that they stored.
        // Unchecked for the row "seven nested 4-way combineLatest, an event" of RxBench.
        return try link._withUnsafeGuaranteedRef { try body(unsafeDowncast($0, to: type)) }
    }

    @inline(__always)
    func retained() -> Link? {
        link?.takeUnretainedValue()
    }

    @inline(__always)
    func share() -> OwnedLink {
        guard let link else { return OwnedLink() }
        return OwnedLink(link.takeUnretainedValue())
    }
}
