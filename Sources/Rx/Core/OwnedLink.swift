/// A strong reference in a `var` that is used without a reference count each time: five of them a joined event are a
/// quarter of its cost. Not generic, because a generic field's end looks up metadata.
///
/// Sound: it owns its object until `drop()` or its own end, and whoever may drop it is the one who uses it, or cannot
/// do so at the same time: a join's slots are used and dropped by its gate's owner, a slot's join is set before
/// its source starts and kept until the slot goes.
struct OwnedLink: ~Copyable {
    private var link: Unmanaged<Link>?

    @inline(__always)
    init() {
        link = nil
    }

    @inline(__always)
    init(_ link: consuming Link) {
        self.link = Unmanaged.passRetained(consume link)
    }

    deinit {
        link?.release()
    }

    @inline(__always)
    var isEmpty: Bool { link == nil }

    /// A reference of one's own, for whoever uses the object beyond that.
    @inline(__always)
    func strong<Object: Link>(as type: Object.Type) -> Object? {
        guard let link else { return nil }
        return unsafeDowncast(link.takeUnretainedValue(), to: type)
    }

    /// Calls `body` with the object, which is there.
    @inline(__always)
    func use<Object: Link, Result>(as type: Object.Type, _ body: (Object) throws -> Result) rethrows -> Result
    {
        guard let link else { preconditionFailure("a dropped reference was used") }
        return try link._withUnsafeGuaranteedRef { try body(unsafeDowncast($0, to: type)) }
    }

    /// A second reference to the same object.
    @inline(__always)
    func share() -> OwnedLink {
        guard let link else { return OwnedLink() }
        return OwnedLink(link.takeUnretainedValue())
    }

    @inline(__always)
    mutating func drop() {
        let old = link
        link = nil
        old?.release()
    }
}
