// Requests for files: path, conditions and ranges. Nothing may trap. A path stays beneath its root, has no
// hidden names and survives re-encoding. Tags survive a round trip, ranges lie within the file, and RFC
// 9110 13.2.2 allows the response. The first line is the path. Each further line is a field value; its first
// byte picks the field.
// sources: Sources/GatewayHTTP/StaticFiles/FilePath.swift Sources/GatewayHTTP/StaticFiles/FileSelection.swift

import HTTPModel

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFiles(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    var lines = bytes.split(separator: 0x0a, maxSplits: 24, omittingEmptySubsequences: false)
    checkPath(lines.removeFirst())

    let names: [HTTPFieldName] = [
        .range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .acceptEncoding,
    ]
    var fields = HTTPFields()
    for line in lines {
        guard let first = line.first else { continue }
        fields.append(names[Int(first) % names.count], bytes: line.dropFirst())
    }
    checkTags(fields)
    for byteCount in [0, 1, 1000] as [Int64] {
        for isHead in [false, true] { checkPlan(fields, isHead: isHead, byteCount) }
    }
    return 0
}

// MARK: - Paths

private func checkPath(_ raw: ArraySlice<UInt8>) {
    guard let path = FilePath(raw) else { return }
    let names = path.text.utf8.split(separator: 0x2f, omittingEmptySubsequences: false)
    // The kernel sees the text as is: no way up or back to the root, and no NUL that cuts it off.
    for name in names where name.isEmpty || name.first == 0x2e || name.contains(where: isForbidden) {
        fatalError("\(raw) became \(path.text)")
    }
    guard path.text.utf8.count <= 4092, names.allSatisfy({ $0.count <= 252 }) else {
        fatalError("\(path.text) is too long")
    }
    var again: [UInt8] = []
    for name in names { again += [0x2f] + Array(PercentEncoding.encode(String(name) ?? "").utf8) }
    guard FilePath(again[...]) == path else { fatalError("\(path.text) does not round-trip") }
}

private func isForbidden(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7f || byte == 0x5c }

// MARK: - Fields

private func checkTags(_ fields: HTTPFields) {
    for name in [HTTPFieldName.ifMatch, .ifNoneMatch] {
        guard case .tags(let tags) = EntityTagCondition(name, in: fields) else { continue }
        var written = HTTPFields()
        written.append(name, bytes: Array(tags.map(\.description).joined(separator: ", ").utf8)[...])
        let isValid = tags.allSatisfy { String(validating: $0.opaque, as: UTF8.self) != nil }
        guard isValid, !tags.isEmpty else { continue }
        guard EntityTagCondition(name, in: written) == .tags(tags) else {
            fatalError("\(tags) do not round-trip")
        }
    }
    for value in fields.valueBytes(of: .range) {
        for range in ByteRange.ranges(in: value) ?? [] {
            for length in [0, 1, 1000, Int64.max] as [Int64] {
                guard let bytes = range.resolved(in: length) else { continue }
                guard !bytes.isEmpty, bytes.lowerBound >= 0, bytes.upperBound <= length else {
                    fatalError("\(range) of \(length) bytes resolves to \(bytes)")
                }
            }
        }
    }
}

private func checkPlan(_ fields: HTTPFields, isHead: Bool, _ byteCount: Int64) {
    guard let tag = EntityTag("a"), let other = EntityTag("a-gz") else { fatalError("tags refused") }
    let facts = FileFacts(
        plain: .init(byteCount: byteCount, tag: tag), compressed: .init(byteCount: byteCount / 2, tag: other),
        modified: 784_111_777)
    let plan = FileSelection(fields, isHead: isHead, facts, now: 784_111_777 + 60)
    let body = plan.body(of: facts)
    let most = plan.representation(of: facts).byteCount
    guard body.lowerBound >= 0, body.upperBound <= most else { fatalError("\(plan) exceeds \(most) bytes") }
    func has(_ names: HTTPFieldName...) -> Bool { names.contains { fields.contains($0) } }
    let isAllowed =
        switch plan.verdict {
        case .whole: body == 0..<most
        case .part(let range): !isHead && has(.range) && !range.isEmpty && body == range
        case .unsatisfiableRange: !isHead && has(.range)
        case .notModified: has(.ifNoneMatch, .ifModifiedSince)
        case .preconditionFailed: has(.ifMatch, .ifUnmodifiedSince)
        }
    guard isAllowed, !plan.isCompressed || has(.acceptEncoding) else { fatalError("not allowed: \(plan)") }
}
