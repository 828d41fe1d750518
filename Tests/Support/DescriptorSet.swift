import Glibc

/// Descriptors to wait for. Unlike poll(2), pselect(2) takes nanoseconds.
struct DescriptorSet {
    private var set = fd_set()
    private var highest: Int32 = -1

    mutating func insert(_ descriptor: Int32) {
        precondition(
            (0..<Int32(FD_SETSIZE)).contains(descriptor), "pselect takes descriptors below \(FD_SETSIZE)")
        highest = max(highest, descriptor)
        withUnsafeMutableBytes(of: &set) { $0[Int(descriptor) / 8] |= 1 << (descriptor % 8) }
    }

    func contains(_ descriptor: Int32) -> Bool {
        withUnsafeBytes(of: set) { $0[Int(descriptor) / 8] & 1 << (descriptor % 8) != 0 }
    }

    /// Waits until one of these is readable or one of the others is writable, then keeps only the readable
    /// ones.
    ///
    /// - Parameters:
    ///   - writable: descriptors to wait for until they take bytes.
    ///   - nanoseconds: how long it waits at most; nil for no limit.
    mutating func wait(_ writable: DescriptorSet, for nanoseconds: Int64?) {
        var writable = writable
        let count = max(highest, writable.highest) + 1
        let ready: Int32
        if let nanoseconds {
            var timeout = timespec(
                tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            ready = pselect(count, &set, &writable.set, nil, &timeout, nil)
        } else {
            ready = pselect(count, &set, &writable.set, nil, nil, nil)
        }
        // After an error, such as an interruption by a signal, the set is undefined.
        if ready < 0 { set = fd_set() }
    }
}
