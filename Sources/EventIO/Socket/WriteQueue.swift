import Glibc

/// Output the socket has not taken yet, in order: first the rest of files, then bytes in memory.
struct WriteQueue {
    private var slices: [ArraySlice<UInt8>] = []
    private var head = 0
    /// The files at the front.
    private var files: [SpoolFile] = []
    /// How many bytes of the first file are taken, never all.
    private var fileTaken = 0
    /// Bytes of the files that are not taken.
    private(set) var fileByteCount = 0
    /// Whether the last slice is a block that this queue made, so that more bytes may be copied to its end.
    private var ownsLast = false
    /// Whether some slices may be parts of larger memory, which they keep.
    private var hasParts = false
    /// Bytes of the first slice that were taken. They stay in memory with it.
    private var takenOfFirst = 0

    /// Bytes in memory that are not taken.
    private(set) var bufferedByteCount = 0

    /// Bytes of the slices in memory, taken or not.
    var residentByteCount: Int { bufferedByteCount + takenOfFirst }
    var byteCount: Int { bufferedByteCount + fileByteCount }
    var isEmpty: Bool { byteCount == 0 }
    var waiting: [ArraySlice<UInt8>] { Array(slices[head...]) }

    /// Appends a slice without its first `taken` bytes.
    mutating func append(_ slice: ArraySlice<UInt8>, taken: Int = 0) {
        guard taken < slice.count else { return }
        if bufferedByteCount == 0 { takenOfFirst = taken }
        add(slice.dropFirst(taken))
        ownsLast = false
        hasParts = true
    }

    private mutating func add(_ slice: ArraySlice<UInt8>) {
        slices.append(slice)
        bufferedByteCount += slice.count
    }

    /// Appends a copy of bytes. It fills the last block first, so that many short rests of writes take one
    /// block.
    mutating func append(copyOf bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        if ownsLast, head < slices.count {
            let last = slices.count - 1
            let piece = rest.prefix(slices[last].capacity - slices[last].count)
            slices[last].append(contentsOf: UnsafeRawBufferPointer(rebasing: piece))
            bufferedByteCount += piece.count
            rest = rest.dropFirst(piece.count)
        }
        while !rest.isEmpty {
            let piece = rest.prefix(BlockSize.write)
            // More bytes are likely to follow those that wait behind others.
            let count = isEmpty ? piece.count : max(piece.count, BlockSize.smallest + 1)
            var block: [UInt8] = []
            block.reserveCapacity(BlockSize.capacity(for: count))
            block.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece))
            add(block[...])
            ownsLast = true
            rest = rest.dropFirst(piece.count)
        }
    }

    /// Appends `new` without its first `skipped` bytes.
    mutating func append(_ new: [ArraySlice<UInt8>], skipping skipped: Int) {
        var skip = skipped
        for slice in new {
            append(slice, taken: min(skip, slice.count))
            skip = max(0, skip - slice.count)
        }
    }

    /// Copies the bytes in memory, unless they were copied before, so that the queue keeps no memory but
    /// theirs.
    mutating func compact() {
        guard hasParts else { return }
        let old = slices[head...]
        slices = []
        head = 0
        bufferedByteCount = 0
        takenOfFirst = 0
        ownsLast = false
        hasParts = false
        for slice in old { slice.withUnsafeBytes { append(copyOf: $0) } }
    }

    /// Copies bytes from the front, of a file if there is one, and returns how many; -1 with `errno` if the
    /// file cannot be read.
    func copyFront(to room: UnsafeMutableRawBufferPointer) -> Int {
        if let file = files.first {
            return read(file, into: room)
        }
        var count = 0
        for slice in slices[head...] where count < room.count {
            let piece = slice.prefix(room.count - count)
            piece.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: $0)
            }
            count += piece.count
        }
        return count
    }

    /// Gives the front in place if `copyFront` would copy it from one slice; else returns nil.
    func withFront<Result>(atMost most: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        guard files.isEmpty, head < slices.count, slices[head].count >= most || head == slices.count - 1
        else {
            return nil
        }
        return slices[head].withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0.prefix(most))) }
    }

    /// A file shorter than what was written to it is the disk's fault and ends the stream.
    private func read(_ file: SpoolFile, into room: UnsafeMutableRawBufferPointer) -> Int {
        let count = file.read(into: room, at: fileTaken)
        if count == 0 { errno = EIO }
        return count > 0 ? count : -1
    }

    /// Replaces the front of the bytes in memory with a file that holds a copy, of which `taken` bytes are
    /// consumed. `taken` is 0 if the queue already has a file.
    mutating func replaceFront(with file: SpoolFile, taken: Int) {
        guard taken < file.byteCount else { return }
        let count = file.byteCount - taken
        consumeResident(count)
        if files.isEmpty { fileTaken = taken }
        files.append(file)
        fileByteCount += count
    }

    /// Removes the first `count` bytes, which must lie within the first file if there is one.
    mutating func consume(_ count: Int) {
        guard let file = files.first else { return consumeResident(count) }
        fileTaken += count
        fileByteCount -= count
        guard fileTaken == file.byteCount else { return }
        files.removeFirst()
        fileTaken = 0
    }

    private mutating func consumeResident(_ count: Int) {
        bufferedByteCount -= count
        var left = count
        while left > 0 {
            let length = slices[head].count
            guard length <= left else {
                slices[head] = slices[head].dropFirst(left)
                takenOfFirst += left
                return
            }
            left -= length
            takenOfFirst = 0
            slices[head] = []
            head += 1
        }
        if head == slices.count {
            slices.removeAll(keepingCapacity: head <= 64)
            head = 0
            hasParts = false
        } else if head >= 64, head * 2 >= slices.count {
            slices.removeSubrange(..<head)
            head = 0
        }
    }

    mutating func removeAll() {
        self = WriteQueue()
    }

    /// Writes the front of the queue once: bytes of the file, or gathered slices. Returns the result of
    /// `sendmsg`.
    func send(to descriptor: Int32) -> Int {
        guard let file = files.first else {
            return VectoredWrite.send(slices, from: head, to: descriptor).sent
        }
        let (sent, code) = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) {
            buffer -> (Int, Int32) in
            let count = read(file, into: buffer)
            guard count > 0 else { return (-1, errno) }
            let sent = VectoredWrite.send(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: descriptor)
            return (sent, errno)
        }
        // Freeing the buffer may have changed it.
        if sent < 0 { errno = code }
        return sent
    }
}

/// Writes slices with `sendmsg`, without copying.
enum VectoredWrite {
    static let limit = 32

    /// Sends up to `limit` slices, starting with `slices[start]`. `next` is the first slice not offered.
    static func send(
        _ slices: [ArraySlice<UInt8>], from start: Int, to descriptor: Int32
    ) -> (sent: Int, offered: Int, next: Int) {
        let end = min(slices.count, start + limit)
        if end - start == 1 {
            return slices[start].withUnsafeBytes { (send($0, to: descriptor), $0.count, end) }
        }
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: end - start) { vectors in
            guard let vectors = vectors.baseAddress else { return (0, 0, end) }
            let (sent, offered) = gather(slices, start, start, end, vectors, 0, descriptor)
            return (sent, offered, end)
        }
    }

    static func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        while true {
            // With MSG_NOSIGNAL a peer that has left is an error of this call instead of a SIGPIPE.
            let sent = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if sent >= 0 || errno != EINTR { return sent }
        }
    }

    /// Sends both, the second behind the first.
    static func send(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, to descriptor: Int32
    ) -> Int {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { vectors in
            vectors[0] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count)
            vectors[1] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count)
            var message = msghdr()
            message.msg_iov = vectors.baseAddress
            message.msg_iovlen = 2
            while true {
                let sent = sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
                if sent >= 0 || errno != EINTR { return sent }
            }
        }
    }

    /// Recurses once per slice, which keeps every slice's pointer valid until the call.
    private static func gather(
        _ slices: [ArraySlice<UInt8>], _ start: Int, _ index: Int, _ end: Int,
        _ vectors: UnsafeMutablePointer<iovec>, _ offered: Int, _ descriptor: Int32
    ) -> (sent: Int, offered: Int) {
        guard index < end else {
            var message = msghdr()
            message.msg_iov = vectors
            message.msg_iovlen = end - start
            while true {
                let sent = sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
                if sent >= 0 || errno != EINTR { return (sent, offered) }
            }
        }
        return slices[index].withUnsafeBytes { bytes in
            vectors[index - start] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
            return gather(slices, start, index + 1, end, vectors, offered + bytes.count, descriptor)
        }
    }
}
