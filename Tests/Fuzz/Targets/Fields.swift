import ASCIIText
import FoundationEssentials
import HTTPModel
import JSONBytes

@testable import GatewayCore
@testable import Networking

// Field and query values: dates, ranges, lists, Retry-After, cookies, trace contexts and numbers. Nothing may
// trap. Results are within bounds, and dates round-trip. The first two lines are two values of the same
// message.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFields(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let lines = bytes.split(separator: 0x0a, maxSplits: 1, omittingEmptySubsequences: false)
    let (first, second) = (lines[0], lines.count > 1 ? lines[1] : [])
    checkDates(first)
    checkRanges(first)
    checkLists(first, second)
    checkRetryAfter(first, second)
    checkCookies(first, second)
    checkTrace(first, second)
    checkQuery(String(decoding: first, as: UTF8.self))
    return 0
}

private let clocks = [0, 1_795_000_000, -2_208_988_800, 253_402_300_799, 1e300, -1e300, .infinity, .nan].map {
    Date(timeIntervalSince1970: $0)
}

private func checkDates(_ bytes: ArraySlice<UInt8>) {
    if let seconds = HTTPDate.seconds(bytes) {
        // A leap second or a day past its month's end carries over, possibly past the year 9999.
        let text = HTTPDate.text(secondsSince1970: seconds)
        guard HTTPDate.seconds(text[...]) == min(seconds, 253_402_300_799), text.count == 29 else {
            fatalError("\(seconds) does not round-trip as a date")
        }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if let time = InternetTime(text) {
        guard InternetTime(time.description) == time else { fatalError("\(time) does not round-trip") }
    }
    if let day = CalendarDate(text) {
        guard day.description == text, CalendarDate(daysSince1970: day.daysSince1970) == day else {
            fatalError("\(day) does not round-trip")
        }
        for days in [Int.min, -1, 1, .max] {
            if let other = day.adding(days: days), other.daysSince1970 != day.daysSince1970 + days {
                fatalError("\(days) from \(day) is \(other)")
            }
        }
    }
    if let seconds = CookieDate.seconds(text) {
        guard (-11_644_473_600...253_402_300_799).contains(seconds) else {
            fatalError("cookie date out of range: \(seconds)")
        }
    }
}

private func checkRanges(_ bytes: ArraySlice<UInt8>) {
    for range in ByteRange.ranges(in: bytes) ?? [] {
        for length in [0, 1, 1000, Int64.max] {
            guard let found = range.resolved(in: length) else { continue }
            guard found.lowerBound >= 0, found.upperBound <= length, !found.isEmpty else {
                fatalError("\(range) of \(length) bytes resolves to \(found)")
            }
        }
    }
}

private func checkLists(_ first: ArraySlice<UInt8>, _ second: ArraySlice<UInt8>) {
    var fields = HTTPFields()
    for name in [HTTPFieldName.accept, .acceptEncoding, .prefer, .ifNoneMatch] {
        fields.append(name, bytes: first)
        fields.append(name, bytes: second)
    }
    let types = AcceptedMediaTypes(fields)
    for type in [MediaType.json, .problemJSON] {
        guard (0...1000).contains(types.weight(of: type)) else { fatalError("weight out of range") }
    }
    _ = types.prefersProblemJSON
    _ = AcceptedCodings(fields).prefers("gzip")
    _ = Preferences(fields)["timeline"]
    _ = EntityTagCondition(.ifNoneMatch, in: fields)
    if let type = MediaType(bytes: first) { _ = (type.isJSON, type.parameter("charset")) }
}

private func checkRetryAfter(_ first: ArraySlice<UInt8>, _ second: ArraySlice<UInt8>) {
    var fields = HTTPFields()
    fields.append(.retryAfter, bytes: first)
    for hasDate in [false, true] {
        if hasDate { fields.append(.date, bytes: second) }
        for clock in clocks {
            guard let delay = RetryAfter.delay(in: fields, now: clock.timeIntervalSince1970) else { continue }
            guard delay >= .zero, delay <= .seconds(1_000_000_000), delay.nanoseconds >= 0 else {
                fatalError("delay out of range: \(delay)")
            }
        }
    }
}

private let url = try? HTTPURL("https://a.example.com/b/c?d")

private func checkCookies(_ first: ArraySlice<UInt8>, _ second: ArraySlice<UInt8>) {
    guard let url else { return }
    for clock in clocks {
        let jar = CookieJar()
        var fields = HTTPFields()
        fields.append(.setCookie, bytes: first)
        fields.append(.setCookie, bytes: second)
        jar.store(fields, from: url, at: clock)
        guard let sent = jar.field(for: url, at: clock) else { continue }
        if sent.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }) {
            fatalError("control character in a Cookie field")
        }
    }
}

private func checkTrace(_ bytes: ArraySlice<UInt8>, _ second: ArraySlice<UInt8>) {
    var fields = HTTPFields()
    fields.append(.traceState, bytes: bytes)
    fields.append(.traceState, bytes: second)
    if let state = TraceState.received(in: fields),
        state.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 > 0x7e })
    {
        fatalError("invalid trace state: \(state)")
    }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 55, alignment: 1)
    defer { room.deallocate() }
    var parents = HTTPFields()
    parents.append(.traceParent, bytes: bytes)
    TraceContext.write(
        continuing: TraceContext.received(in: parents), Identifiers(), isSampled: nil, to: room)
    let digits = room.enumerated().allSatisfy { place, byte in
        [2, 35, 52].contains(place)
            ? byte == 0x2d : (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
    guard digits else { fatalError("invalid trace context: \(String(decoding: room, as: UTF8.self))") }
}

private func checkQuery(_ text: String) {
    _ = (Int(requestText: text), Int8(requestText: text), UInt64(requestText: text), UUID(requestText: text))
    if let number = Double(requestText: text), !number.isFinite { fatalError("\(number) is not finite") }
    _ = (try? HTTPURL(text), try? JSONPointer(text), try? PercentEncoding.decodeSegment(text.utf8))
    _ = Array(text.utf8).withUnsafeBytes { Authority.isValid($0) }
}
