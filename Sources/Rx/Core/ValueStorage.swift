/// Storage for one value of a type known only at run time. Unspecialised code would look up the metadata of
/// an `Optional` on each access, which costs more than an event. Values of up to four words are stored
/// inline, larger ones in one block, which is reused. The owner guards the storage, usually with a
/// `SerialGate`.
// Sound: the memory is bound to `Value` alone and initialised exactly while `isFull`. The storage is always a
// stored property of a class instance, so the address of its words is stable.
struct ValueStorage<Value: Sendable>: ~Copyable {
    private var words: (UInt, UInt, UInt, UInt) = (0, 0, 0, 0)
    private(set) var isFull = false
    private let isInline: Bool

    @inline(__always)
    init() {
        isInline =
            MemoryLayout<Value>.size <= MemoryLayout<(UInt, UInt, UInt, UInt)>.size
            && MemoryLayout<Value>.alignment <= MemoryLayout<UInt>.alignment
    }

    /// Frees the value and the block. The owner calls it in its `deinit`.
    @inline(__always)
    mutating func destroy() {
        clear()
        guard !isInline, let block = UnsafeMutableRawPointer(bitPattern: words.0) else { return }
        block.deallocate()
        words.0 = 0
    }

    @inline(__always)
    mutating func set(_ value: Value) {
        let slot = self.slot
        if isFull {
            slot.assumingMemoryBound(to: Value.self).pointee = value
        } else {
            slot.initializeMemory(as: Value.self, to: value)
            isFull = true
        }
    }

    // The thread sanitizer counts each call of a mutating getter as a write, though this one writes nothing.
    // Without a mutating getter, reading costs three times as much.
    #if THREAD_SANITIZER
        var value: Value {
            precondition(isFull, "an empty storage was read")
            return withUnsafeBytes(of: words) { words in
                let place =
                    isInline ? words.baseAddress : UnsafeRawPointer(bitPattern: words.load(as: UInt.self))
                guard let place else { preconditionFailure("a full storage has a block") }
                return place.assumingMemoryBound(to: Value.self).pointee
            }
        }
    #else
        /// Exists only while `isFull`. Several threads may read it at once.
        @inline(__always)
        var value: Value {
            mutating get {
                precondition(isFull, "an empty storage was read")
                return slot.assumingMemoryBound(to: Value.self).pointee
            }
        }
    #endif

    @inline(__always)
    mutating func clear() {
        guard isFull else { return }
        isFull = false
        slot.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
    }

    @inline(__always)
    private var slot: UnsafeMutableRawPointer {
        mutating get {
            if isInline { return withUnsafeMutablePointer(to: &words) { UnsafeMutableRawPointer($0) } }
            if let block = UnsafeMutableRawPointer(bitPattern: words.0) { return block }
            let block = UnsafeMutableRawPointer.allocate(
                byteCount: MemoryLayout<Value>.size, alignment: MemoryLayout<Value>.alignment)
            words.0 = UInt(bitPattern: block)
            return block
        }
    }
}
