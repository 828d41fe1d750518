import CHiredis

// sources: Sources/SharedStore/ReplyReader.swift Sources/SharedStore/StoreReply.swift

// Replies of Redis. Nothing may trap, leak or grow without bounds. Replies are the same however the bytes are
// cut, and a reader that has seen a fault accepts nothing more. A reply has a bounded length, number of
// elements and depth, and is read again from the bytes that stand for it. The first byte says how often the
// others are repeated.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReplies(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let all = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = all.first else { return 0 }
    let bytes = Array(
        repeatElement(all.dropFirst(), count: first < 0x80 ? 1 : Int(first & 0x0f) + 1).joined())
    let whole = read(bytes, step: max(1, bytes.count))
    // hiredis looks for the end of a text from its beginning with each piece.
    for step in bytes.count <= 2048 ? [1, 2, 7] : [97, 1000] {
        let cut = read(bytes, step: step)
        guard cut.replies == whole.replies, isSame(cut.fault, whole.fault), cut.isWithin == whole.isWithin
        else {
            fatalError("cut by \(step): \(cut), not \(whole)")
        }
    }
    for reply in whole.replies {
        check(reply, level: 0)
        // Texts that are not UTF-8 become longer by replacement characters.
        let text = encoded(reply)
        guard text.count <= ReplyReader.mostBytes else { continue }
        let again = read(text, step: text.count)
        guard again.replies == [reply], again.fault == nil else { fatalError("\(reply) became \(again)") }
    }
    return 0
}

private struct Reading {
    var replies: [StoreReply] = []
    var fault: ReplyFault?
    var isWithin = false
}

private func read(_ bytes: [UInt8], step: Int) -> Reading {
    let reader = ReplyReader()
    var reading = Reading()
    var place = 0
    while place < bytes.count, reading.fault == nil {
        let piece = bytes[place..<min(place + step, bytes.count)]
        place += piece.count
        feed(reader, piece, &reading)
    }
    guard reading.fault == nil else {
        checkEnd(of: reader, reading)
        return reading
    }
    reading.isWithin = reader.bytesFed > reader.bytesDone
    return reading
}

private func feed(_ reader: ReplyReader, _ piece: ArraySlice<UInt8>, _ reading: inout Reading) {
    reading.fault = piece.withUnsafeBytes { bytes in
        do throws(ReplyFault) {
            try reader.read(bytes) {
                reading.replies.append($0)
                return true
            }
            return nil
        } catch {
            return error
        }
    }
}

private func checkEnd(of reader: ReplyReader, _ reading: Reading) {
    var more = Reading()
    feed(reader, Array(":1\r\n".utf8)[...], &more)
    guard more.replies.isEmpty, more.fault == reading.fault else { fatalError("\(more) after \(reading)") }
}

/// Whether both readings end in the same way. A reply that is too long and malformed as well is either,
/// depending on what is seen first.
private func isSame(_ one: ReplyFault?, _ other: ReplyFault?) -> Bool {
    one == other || (one != nil && other != nil && [one, other].contains(.tooLong))
}

private func check(_ reply: StoreReply, level: Int) {
    switch reply {
    case .status(let text), .error(let text):
        guard text.utf8.count <= 3 * ReplyReader.mostBytes else { fatalError("a text of \(text.utf8.count)") }
    case .bytes(let bytes):
        guard bytes.count <= ReplyReader.mostBytes else { fatalError("\(bytes.count) bytes") }
    case .integer, .null: break
    case .array(let elements):
        guard elements.count <= ReplyReader.mostElements, level < ReplyReader.mostLevels else {
            fatalError("\(elements.count) elements at level \(level)")
        }
        for element in elements { check(element, level: level + 1) }
    }
}

private func encoded(_ reply: StoreReply) -> [UInt8] {
    switch reply {
    case .status(let text): Array("+\(text)\r\n".utf8)
    case .error(let text): Array("-\(text)\r\n".utf8)
    case .integer(let number): Array(":\(number)\r\n".utf8)
    case .bytes(let bytes): Array("$\(bytes.count)\r\n".utf8) + bytes + [0x0d, 0x0a]
    case .null: Array("$-1\r\n".utf8)
    case .array(let elements): Array("*\(elements.count)\r\n".utf8) + elements.flatMap(encoded)
    }
}
