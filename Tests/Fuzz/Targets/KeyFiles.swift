import AccessControl
import Crypto
import JSONBytes

// Files of API keys. Nothing may trap. A file that is read has a name and claims for each key, and finds
// only the key whose line is added at its end. Line ends of Windows, comments and empty lines change nothing.
// A fault names a line of the file and shows no key or hash.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeyFiles(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
    do throws(APIKeyFault) {
        let table = try APIKeyTable(parsing: bytes[...])
        guard table.keys.count <= lines.count else { fatalError("\(table.keys.count) keys") }
        for key in table.keys { check(key) }
        checkAddition(to: bytes, table)
        checkLineEnds(lines.map(Array.init), table)
    } catch {
        guard (1...lines.count).contains(error.line) else { fatalError("\(error)") }
        checkReason(error.reason)
    }
    checkMaker(lines.map { String(decoding: $0, as: UTF8.self) })
    return 0
}

private func check(_ key: APIKey) {
    guard APIKeyTable.isName(key.name) else { fatalError("a bad name: \(key.name)") }
    guard let claims = try? JSONFragment(validating: key.claims.bytes), claims.kind == .object,
        claims[member: "sub"]?.stringValue == key.name
    else { fatalError("the claims of \(key.name): \(key.claims)") }
    let names = claims.members.map(\.name)
    guard Set(names).count == names.count, !claims.members.contains(where: { $0.value.isNull }) else {
        fatalError("the claims of \(key.name): \(key.claims)")
    }
}

private let random = [UInt8](repeating: 0x2a, count: 32)

private func checkAddition(to bytes: [UInt8], _ table: APIKeyTable) {
    guard let made = try? APIKeyMaker.make(name: "fuzz", claims: ["plan=pro"], random: random) else {
        fatalError("no key is made")
    }
    let key = Array(made.key.utf8)
    // The fuzzer may have found the line.
    guard table.index(of: key[...]) == nil else { return }
    guard let more = try? APIKeyTable(parsing: (bytes + Array("\n\(made.line)".utf8))[...]) else { return }
    guard more.keys.count == table.keys.count + 1, Array(more.keys.dropLast()) == table.keys,
        more.index(of: key[...]) == table.keys.count, let found = more.keys.last, found.name == "fuzz",
        found.claims[member: "plan"]?.stringValue == "pro"
    else { fatalError("the added key is not found") }
    let others = [Array(key.dropLast()), Array(key.dropFirst()), key + [0], Array(made.line.utf8), []]
    for other in others where more.index(of: other[...]) != nil { fatalError("found by other bytes") }
}

private func checkLineEnds(_ lines: [[UInt8]], _ table: APIKeyTable) {
    guard !lines.contains(where: { $0.last == 0x0d }),
        lines.allSatisfy({ $0.count < APIKeyTable.maxLineLength })
    else { return }
    let windows = Array(lines.joined(separator: [0x0d, 0x0a]))
    let spaced = Array(lines.joined(separator: Array("\n\n# comment\n \t\n".utf8)))
    for bytes in [windows, spaced] {
        guard let other = try? APIKeyTable(parsing: bytes[...]), other.keys == table.keys else {
            fatalError("line ends or comments count")
        }
    }
}

private func checkReason(_ reason: String) {
    let words = reason.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    guard !words.contains(where: { $0.hasPrefix(APIKeyMaker.prefix) && $0.count > 40 }),
        !words.contains(where: { SHA256Digest(hexadecimal: $0) != nil })
    else { fatalError("a fault shows a secret: \(reason)") }
}

/// A line that is made is read again.
private func checkMaker(_ words: [String]) {
    guard let name = words.first,
        let made = try? APIKeyMaker.make(
            name: name, claims: Array(words.dropFirst().prefix(4)), random: random)
    else { return }
    guard let table = try? APIKeyTable(parsing: Array(made.line.utf8)[...]), table.keys.count == 1,
        table.keys[0].name == name, table.index(of: Array(made.key.utf8)[...]) == 0
    else { fatalError("not read again: \(made.line)") }
}
