/// A strong reference in a `var` that is used without retaining it each time: the retains would take a quarter of a joined
/// event's time. Not generic, because destroying a generic field looks up metadata.
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

    /// The reference to use now. Reading it is a short access, which does not span what the object does.
    @inline(__always)
    var borrowed: BorrowedLink { link }

    /// Moves the reference out. The object is released after the access to this property has ended.
    @inline(__always)
    mutating func take() -> OwnedLink {
        let old = link
        link = BorrowedLink()
        return OwnedLink(moved: old)
    }
}

/// A reference that retains nothing: somebody else keeps the object for as long as this is used.
///
/// Sound: a join's slots are used and dropped by the owner of its gate alone; a slot's join is set before its
/// source starts and kept for as long as the slot lives.
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

    /// Calls `body` with the object, which must be there.
    @inline(__always)
    func use<Object: Link, Result>(as type: Object.Type, _ body: (Object) throws -> Result) rethrows -> Result
    {
        guard let link else { preconditionFailure("a dropped reference was used") }
        // Sound: whoever stored the object knows its class.
        return try link._withUnsafeGuaranteedRef { try body(unsafeDowncast($0, to: type)) }
    }

    /// A strong reference to the same object.
    @inline(__always)
    func retained() -> Link? {
        link?.takeUnretainedValue()
    }

    /// A second owner of the same object.
    @inline(__always)
    func share() -> OwnedLink {
        guard let link else { return OwnedLink() }
        return OwnedLink(link.takeUnretainedValue())
    }
}
