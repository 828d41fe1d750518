/// Room for one value of a type known only at run time, without an `Optional` around it: unspecialised code
/// would look up the optional's metadata on every access, which costs more than an event.
///
/// Values of up to four words lie inside, larger ones in one block that is kept. Not guarded: its owner is
/// whoever owns the step, usually a `Gate`.
///
/// Sound: the memory is bound to `Value` alone, initialised exactly while `isFull`, and the inline words are
/// stored in a class instance, so that their address holds during the call that asks for it.
struct Cell<Value: Sendable>: ~Copyable {
    private var words: (UInt, UInt, UInt, UInt) = (0, 0, 0, 0)
    private(set) var isFull = false
    private let isInline: Bool

    init() {
        isInline =
            MemoryLayout<Value>.size <= MemoryLayout<(UInt, UInt, UInt, UInt)>.size
            && MemoryLayout<Value>.alignment <= MemoryLayout<UInt>.alignment
    }

    deinit {
        var words = self.words
        let isFull = self.isFull
        if isInline {
            guard isFull else { return }
            withUnsafeMutablePointer(to: &words) {
                _ = UnsafeMutableRawPointer($0).assumingMemoryBound(to: Value.self).deinitialize(count: 1)
            }
        } else if let block = UnsafeMutableRawPointer(bitPattern: words.0) {
            let block = block.assumingMemoryBound(to: Value.self)
            if isFull { block.deinitialize(count: 1) }
            block.deallocate()
        }
    }

    mutating func set(_ value: Value) {
        let wasFull = isFull
        isFull = true
        withSlot { slot in
            if wasFull { slot.pointee = value } else { slot.initialize(to: value) }
        }
    }

    /// The value; only while `isFull`.
    var value: Value {
        mutating get {
            precondition(isFull, "an empty cell was read")
            return withSlot { $0.pointee }
        }
    }

    mutating func clear() {
        guard isFull else { return }
        isFull = false
        withSlot { _ = $0.deinitialize(count: 1) }
    }

    private mutating func withSlot<Result>(_ body: (UnsafeMutablePointer<Value>) -> Result) -> Result {
        if isInline {
            return withUnsafeMutablePointer(to: &words) {
                body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: Value.self))
            }
        }
        if let block = UnsafeMutableRawPointer(bitPattern: words.0) {
            return body(block.assumingMemoryBound(to: Value.self))
        }
        let block = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        words.0 = UInt(bitPattern: block)
        return body(block)
    }
}
