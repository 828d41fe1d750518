import EndpointPlans
import HTTPModel

@testable import GatewayCore

// Templates, paths and routing. Nothing may trap. Decoding, routing and their fast paths agree with plain
// code that tries each template. The first line is the request target; the others are templates, alternately
// for GET and POST.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRoutes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    var lines = bytes.split(separator: 0x0a, maxSplits: 24, omittingEmptySubsequences: false)
    let target = lines.removeFirst()

    var router = Router<Int>()
    var routes: [(method: HTTPMethod, template: PathTemplate)] = []
    for (place, line) in lines.enumerated() {
        let text = String(decoding: line, as: UTF8.self)
        guard let template = try? PathTemplate(text) else { continue }
        check(template)
        let method: HTTPMethod = place % 2 == 0 ? .get : .post
        let isNew = !routes.contains { $0.method == method && isSame($0.template, template) }
        guard router.add(method, template, routes.count) == isNew else {
            fatalError("\(text) is \(isNew ? "" : "not ")new")
        }
        if isNew { routes.append((method, template)) }
    }

    let mark = target.firstIndex(of: 0x3f) ?? target.endIndex
    checkPath(target[..<mark], router, routes)
    if mark < target.endIndex { checkQuery(target[(mark + 1)...]) }
    return 0
}

// MARK: - Templates

private func check(_ template: PathTemplate) {
    var text = ""
    for segment in template.segments {
        switch segment {
        case .literal(let bytes):
            guard !bytes.isEmpty, bytes != [0x2e], bytes != [0x2e, 0x2e],
                !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7f || "/%?#{}\\".utf8.contains($0) })
            else { fatalError("a literal that no request can match: \(template.text)") }
            text += "/" + String(decoding: bytes, as: UTF8.self)
        case .parameter(let name):
            guard !name.isEmpty else { fatalError("a parameter without a name: \(template.text)") }
            text += "/{\(name)}"
        case .rest(let name):
            guard !name.isEmpty else { fatalError("a rest without a name: \(template.text)") }
            text += "/{\(name)...}"
        }
    }
    guard template.text == (text.isEmpty ? "/" : text),
        Set(template.parameterNames).count == template.parameterNames.count
    else { fatalError("wrong segments: \(text) instead of \(template.text)") }
}

/// Compares templates, ignoring parameter names.
private func isSame(_ left: PathTemplate, _ right: PathTemplate) -> Bool {
    left.segments.count == right.segments.count
        && zip(left.segments, right.segments).allSatisfy { left, right in
            switch (left, right) {
            case (.literal(let left), .literal(let right)): left == right
            case (.parameter, .parameter), (.rest, .rest): true
            default: false
            }
        }
}

// MARK: - Paths

private func checkPath(
    _ raw: ArraySlice<UInt8>, _ router: Router<Int>, _ routes: [(method: HTTPMethod, template: PathTemplate)]
) {
    let plain = segmentsPlainly(raw)
    guard let path = try? DecodedPath(raw) else {
        if let plain { fatalError("refused, but its segments are \(plain)") }
        // The fast path must not match a path that the decoder refuses.
        for method in [HTTPMethod.get, .post] where router.routeLiteral(method, raw) != nil {
            fatalError("a refused path matches a route")
        }
        return
    }
    let segments = path.bytes.dropFirst().split(separator: 0x2f, omittingEmptySubsequences: false)
    guard let plain, segments.elementsEqual(plain, by: { $0.elementsEqual($1) }) else {
        fatalError("decoded as \(path.bytes), but its segments are \(plain as Any)")
    }

    let matching = routes.indices.filter { matches(routes[$0].template, plain) }
    for method in [HTTPMethod.get, .post, .put] {
        let best = matching.filter { routes[$0].method == method }
            .min { isPreferred(routes[$0].template, routes[$1].template) }
        if let literal = router.routeLiteral(method, raw), literal != best {
            fatalError("the fast path finds \(literal) instead of \(best as Any)")
        }
        switch router.route(method, path) {
        case .found(let value, let found):
            guard let best, value == best,
                found.elementsEqual(
                    parameters(of: routes[best].template, plain), by: { $0.elementsEqual($1) })
            else { fatalError("\(value) is found instead of \(best as Any)") }
        case .otherMethods(let methods):
            guard best == nil, Set(methods) == Set(matching.map { routes[$0].method }), !methods.isEmpty,
                Set(methods).count == methods.count
            else { fatalError("\(methods) are found instead of \(best as Any)") }
        case .notFound:
            guard best == nil, matching.isEmpty else { fatalError("\(matching) are not found") }
        }
    }
}

/// The decoded segments; nil if the path breaks the rules of `DecodedPath`.
private func segmentsPlainly(_ raw: ArraySlice<UInt8>) -> [[UInt8]]? {
    guard raw.first == 0x2f, raw.allSatisfy({ 0x20 <= $0 && $0 < 0x7f && $0 != 0x5c }) else { return nil }
    var segments: [[UInt8]] = []
    for segment in raw.dropFirst().split(separator: 0x2f, omittingEmptySubsequences: false) {
        guard let decoded = try? PercentEncoding.decode(segment), decoded != [0x2e], decoded != [0x2e, 0x2e],
            !decoded.contains(where: { $0 < 0x20 || $0 == 0x7f || $0 == 0x2f || $0 == 0x5c })
        else { return nil }
        segments.append(decoded)
    }
    guard String(validating: segments.joined(separator: [0x2f]), as: UTF8.self) != nil else { return nil }
    return segments
}

private func matches(_ template: PathTemplate, _ segments: [[UInt8]]) -> Bool {
    if template.segments.isEmpty { return segments == [[]] }
    guard
        template.endsInRest
            ? template.segments.count <= segments.count : template.segments.count == segments.count
    else { return false }
    return zip(template.segments, segments).allSatisfy { part, segment in
        switch part {
        case .literal(let bytes): bytes == segment
        case .parameter: !segment.isEmpty
        case .rest: true
        }
    }
}

private func parameters(of template: PathTemplate, _ segments: [[UInt8]]) -> [[UInt8]] {
    template.segments.indices.compactMap { index in
        switch template.segments[index] {
        case .literal: nil
        case .parameter: segments[index]
        case .rest: Array(segments[index...].joined(separator: [0x2f]))
        }
    }
}

/// Whether `left` is preferred: at the first difference, a literal is preferred over a parameter, and both
/// over the rest of the path.
private func isPreferred(_ left: PathTemplate, _ right: PathTemplate) -> Bool {
    for (left, right) in zip(left.segments, right.segments) {
        switch (left, right) {
        case (.literal, .parameter), (.literal, .rest), (.parameter, .rest): return true
        case (.parameter, .literal), (.rest, .literal), (.rest, .parameter): return false
        default: continue
        }
    }
    // "/" itself is preferred over the rest of a path that begins there.
    return left.segments.count < right.segments.count
}

// MARK: - Queries

/// The fast reader of plain queries agrees with the general one.
private func checkQuery(_ query: ArraySlice<UInt8>) {
    let items = QueryItems(query)
    var names = ["a", "fddDate", ""]
    for item in query.split(separator: 0x26) {
        let name = item.prefix { $0 != 0x3d }
        if let name = String(validating: name, as: UTF8.self) { names.append(name) }
    }
    let isPlain = !query.contains { $0 == 0x25 || $0 == 0x2b || $0 >= 0x80 }
    for name in names {
        let values = try? items.values(of: name)
        let quick = PlainQuery.onlyValue(of: name, in: query)
        guard let quick else {
            if isPlain, values?.count == 1 { fatalError("\(name) is plain, but not found") }
            continue
        }
        guard values == [quick] else { fatalError("\(name) is \(values as Any), not \(quick)") }
    }
    for value in (try? items.all())?.map(\.value) ?? [] { checkValue(value) }
}

private func checkValue(_ text: String) {
    if let date = CalendarDate(requestText: text) {
        guard date.description == text, CalendarDate(daysSince1970: date.daysSince1970) == date else {
            fatalError("\(text) is read as \(date)")
        }
    }
    if let integer = Int(requestText: text) {
        guard Int8(requestText: text) == Int8(exactly: integer),
            UInt64(requestText: text) == UInt64(exactly: integer),
            Double(requestText: text) != nil
        else { fatalError("other types disagree that \(text) is \(integer)") }
    }
    if let number = Double(requestText: text) {
        guard number.isFinite, text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else {
            fatalError("\(text) is not a decimal number")
        }
    }
}
