import HTTPModel
import JSONBytes

@testable import Networking

// Encoders of names and values: forms, nested parameters, JSON and multipart forms. Nothing may trap.
// Everything reads back unchanged, and no name or value can break out of its place. The first line is a name,
// the rest a value.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzForms(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let lines = bytes.split(separator: 0x0a, maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = String(validating: lines[0], as: UTF8.self),
        let value = String(validating: lines.count > 1 ? lines[1] : lines[0], as: UTF8.self)
    else { return 0 }
    checkModel(name, value)
    checkParameters(name, value)
    checkMultipart(name, value)
    return 0
}

private let provider = (try? Upstream(name: "a", baseURL: "http://a:1")).map {
    Provider<Call>(upstream: $0, transport: UnsentTransport())
}

private struct Call: TargetType {
    let task: RequestTask
    var baseURL: String { "http://a" }
    var path: RequestPath { "/" }
    var method: HTTPMethod { .post }
}

private func body(_ task: RequestTask) -> ArraySlice<UInt8> {
    guard let call = try? provider?.prepare(Call(task: task)), let body = call.body.inMemory else {
        fatalError("no body")
    }
    return body
}

private func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

private func check(_ pairs: ArraySlice<UInt8>, _ expected: [(String, String)]) {
    guard let all = try? QueryItems(pairs).all(), all.count == expected.count,
        zip(all, expected).allSatisfy({ isSame($0.name, $1.0) && isSame($0.value, $1.1) })
    else { fatalError("wrong pairs: \(String(decoding: pairs, as: UTF8.self))") }
}

private func checkModel(_ name: String, _ value: String) {
    for spaces in [ParameterEncoding.Spaces.percentEscaped, .plusReplaced] {
        var encoder = URLEncodedFormEncoder()
        encoder.spaceEncoding = spaces
        check(body(.form([name: [name: value]], encoder: encoder)), [("\(name)[\(name)]", value)])
        encoder.keyPathEncoding = .dots
        encoder.arrayEncoding = .indexed
        check(
            body(.form([name: [value, name]], encoder: encoder)),
            [("\(name)[0]", value), ("\(name)[1]", name)])
    }
}

private func checkParameters(_ name: String, _ value: String) {
    let parameters: Parameters = [
        name: [name: value] as Parameters, "l": [value], "n": ParameterValue.null,
    ]
    check(
        body(.parameters(parameters, encoding: .form(lists: .brackets))),
        [("\(name)[\(name)]", value), ("l[]", value), ("n", "")])
    check(
        body(.parameters(parameters, encoding: .url(.httpBody, lists: .indexed, members: .dots))),
        [("\(name).\(name)", value), ("l[0]", value), ("n", "")])
    guard name != "l", name != "n" else { return }
    guard let object = try? JSONFragment(validating: body(.parameters(parameters, encoding: .json))),
        let inner = object[member: name]?[member: name]?.stringValue, isSame(inner, value),
        object[member: "n"]?.isNull == true
    else { fatalError("wrong JSON object") }
}

/// A part's head has only its own lines, and the content stays between the boundaries.
private func checkMultipart(_ name: String, _ value: String) {
    let form = MultipartFormData([.bytes(value.utf8, name: name, fileName: name)], boundary: "B")
    guard let call = try? provider?.prepare(Call(task: .multipart(form))) else {
        guard value.utf8.count >= 3, Array(value.utf8).firstRange(of: Array("--B".utf8)) != nil else {
            fatalError("a valid form is refused")
        }
        return
    }
    guard let body = call.body.inMemory.map(Array.init),
        let end = body.firstRange(of: Array("\r\n\r\n".utf8))
    else { fatalError("the part has no head") }
    let head = body[..<end.lowerBound].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard head.count == 3, head[1].count(where: { $0 == UInt8(ascii: "\"") }) == 4,
        head.dropLast().allSatisfy({ $0.last == UInt8(ascii: "\r") }),
        head.allSatisfy({ $0.count { $0 < 0x20 } <= 1 }),
        body[end.upperBound...].elementsEqual(Array(value.utf8) + Array("\r\n--B--\r\n".utf8))
    else { fatalError("a value broke out of its place: \(String(decoding: body, as: UTF8.self))") }
}
