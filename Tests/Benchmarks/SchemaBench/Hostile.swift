import Foundation
import Glibc
import JSONBytes
import JSONSchema

/// Values that are made to cost much, each with the most processor time that a check with all of its faults
/// may take.
///
/// A body below 512 KiB is checked on its event loop, so that 25 ms is what other requests may wait for it.
struct HostileCase {
    let name: String
    let schema: String
    let body: String
    /// In milliseconds.
    let most: Double

    init(_ name: String, most: Double, _ schema: String, _ body: String) {
        self.name = name
        self.most = most
        self.schema = schema
        self.body = body
    }

    /// Prints the time of each case. Returns whether all are within their bounds.
    static func runAll(_ filter: String) throws -> Bool {
        var isWithin = true
        for test in all where filter.isEmpty || test.name.contains(filter) {
            let schema = try JSONSchema(json: test.schema)
            let bytes = Array(test.body.utf8)
            let value = try JSONFragment(validating: bytes[...])
            var verdicts: [Double] = []
            var wholes: [Double] = []
            var faults: [SchemaFault] = []
            for _ in 0..<3 {
                let start = SchemaBench.processorTime()
                let accepts = schema.accepts(value)
                let middle = SchemaBench.processorTime()
                faults = schema.faults(in: value)
                let end = SchemaBench.processorTime()
                guard accepts == faults.isEmpty else { fatalError("\(test.name): \(faults)") }
                verdicts.append(1000 * (middle - start))
                wholes.append(1000 * (end - middle))
            }
            let (verdict, whole) = (verdicts.sorted()[1], wholes.sorted()[1])
            let outcome = faults.first.map { "\($0.keyword), \(faults.count)" } ?? "accepted"
            let isSlow = whole > test.most
            isWithin = isWithin && !isSlow
            print(
                "\(isSlow ? "SLOW " : "")\(test.name): \(bytes.count) bytes, verdict \(rounded(verdict)) ms, "
                    + "with faults \(rounded(whole)) ms of \(test.most), \(outcome)")
        }
        return isWithin
    }

    private static func rounded(_ time: Double) -> Double { (100 * time).rounded() / 100 }

    // MARK: - Cases

    /// A check whose schemas are tried, and which ends at the bound of its work, takes two to three times
    /// 25 ms.
    private static let atBound = 100.0

    /// The most bytes of a body that is checked on its loop.
    private static let loopBytes = 512 << 10

    private static func list(_ elements: some Sequence<String>) -> String {
        "[\(elements.joined(separator: ","))]"
    }

    private static func object(_ members: some Sequence<(name: String, value: String)>) -> String {
        "{\(members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ","))}"
    }

    /// As many elements as fit into a body that is checked on its loop.
    private static func full(_ element: (Int) -> String) -> String {
        var elements: [String] = []
        var bytes = 2
        while true {
            let next = element(elements.count)
            bytes += next.utf8.count + 1
            guard bytes < loopBytes else { return list(elements) }
            elements.append(next)
        }
    }

    private static func fullObject(_ member: (Int) -> (name: String, value: String)) -> String {
        var members: [(name: String, value: String)] = []
        var bytes = 2
        while true {
            let next = member(members.count)
            bytes += next.name.utf8.count + next.value.utf8.count + 4
            guard bytes < loopBytes else { return object(members) }
            members.append(next)
        }
    }

    private static func nested(_ open: String, _ inner: String, _ close: String, _ depth: Int) -> String {
        String(repeating: open, count: depth) + inner + String(repeating: close, count: depth)
    }

    static let all: [HostileCase] = named + patterns + composed + texts

    private static let named: [HostileCase] = [
        HostileCase(
            "recursive anyOf, 64 deep", most: 1,
            ##"{"anyOf":[{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a","x"]},{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a","y"]},{"type":"integer"}]}"##,
            nested(#"{"a":"#, "1", "}", 63)),
        HostileCase(
            "500 000 unique elements", most: 250, #"{"uniqueItems":true}"#,
            list((0..<500_000).map { "\($0)" })),
        HostileCase(
            "500 000 elements, the last is not unique", most: 500, #"{"uniqueItems":true}"#,
            list((0..<500_000).map { "\($0 % 499_999)" })),
        HostileCase("250 000 equal elements", most: 25, #"{"uniqueItems":true}"#, full { _ in "1" }),
        HostileCase(
            "unique objects", most: 25, #"{"uniqueItems":true}"#, full { "{\"b\":\($0),\"a\":[\($0)]}" }),
        HostileCase(
            "100 000 names with equal beginnings", most: 60,
            "{\"properties\":\(object((0..<2000).map { ("equal-beginning-\($0)", #"{"type":"null"}"#) }))}",
            object((0..<100_000).map { ("equal-beginning-\($0)", "null") })),
        HostileCase(
            "names for the same places of a table", most: 25,
            "{\"properties\":\(object((0..<5000).map { ("p\($0)", "true") })),\"additionalProperties\":{\"type\":\"null\"}}",
            fullObject { ("p5000\($0 % 7)", "null") }),
        HostileCase(
            "names given twice, counted", most: 25, #"{"minProperties":2,"maxProperties":100}"#,
            fullObject { _ in ("a", "1") }),
        HostileCase(
            "huge exponents", most: 25, #"{"items":{"multipleOf":0.000123,"minimum":1,"maximum":1e400}}"#,
            full { "123e9999999999999\($0 % 10)" }),
        HostileCase(
            "numbers of 256 digits", most: 25,
            #"{"items":{"multipleOf":123456789012345678,"minimum":-1e300,"maximum":1e300}}"#,
            full { _ in String(repeating: "1234567890123456", count: 15) + "3456" }),
    ]

    private static let patterns: [HostileCase] = [
        HostileCase(
            "[a-z]*[a-z][0-9] over 19 000 letters", most: 25, #"{"pattern":"[a-z]*[a-z][0-9]"}"#,
            "\"\(String(repeating: "a", count: 19_000))\""),
        HostileCase(
            "[a-z]*[a-z][0-9] over 64 000 letters", most: 25, #"{"pattern":"[a-z]*[a-z][0-9]"}"#,
            "\"\(String(repeating: "a", count: 64_000))\""),
        HostileCase(
            "(a+)+$ at each element", most: 25, #"{"items":{"pattern":"(a+)+$"}}"#,
            full { _ in "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"" }),
        HostileCase(
            "a wrong member before names with a costly pattern", most: 50,
            #"{"properties":{"a":{"type":"null"}},"propertyNames":{"pattern":"^a$|[a-z]*[a-z][0-9]"}}"#,
            object([("a", "1")] + (0..<80).map { (String(repeating: "b", count: 5000) + "\($0)-", "1") })),
        HostileCase(
            "100 patterns of names", most: 25,
            "{\"patternProperties\":\(object((0..<100).map { ("^(x|y)*\($0)z", #"{"minimum":1}"#) }))}",
            fullObject { ("xyxyxy\($0)", "1") }),
        HostileCase(
            "simple patterns without an anchor", most: 25,
            #"{"items":{"pattern":"aaaaaaaaaaaaaaab"}}"#,
            full { _ in "\"\(String(repeating: "a", count: 4000))\"" }),
    ]

    private static let composed: [HostileCase] = [
        HostileCase(
            "numbers that no one of 100 alternatives accepts", most: 50,
            "{\"items\":{\"anyOf\":\(list((0..<100).map { "{\"minimum\":\($0),\"multipleOf\":3}" }))}}",
            full { _ in "1" }),
        HostileCase(
            "objects that many of 40 alternatives accept", most: 50,
            "{\"items\":{\"oneOf\":\(list((0..<40).map { #"{"properties":{"a":{"minimum":\#($0)},"b":true},"required":["a"]}"# }))}}",
            full { _ in #"{"a":1,"b":1}"# }),
        HostileCase(
            "kept sets of unevaluated members, with objects in them", most: atBound,
            ##"{"$ref":"#/$defs/o","$defs":{"o":{"type":"object","anyOf":[{"patternProperties":{"^a":true}},{"patternProperties":{"^b":true}},{"patternProperties":{"^c":{"$ref":"#/$defs/o"}}}],"unevaluatedProperties":false}}}"##,
            fullObject { [("a\($0)", "1"), ("b\($0)", "1"), ("c\($0)", #"{"a":1,"b":1}"#)][$0 % 3] }),
        HostileCase(
            "unevaluated members, 60 deep", most: 25,
            ##"{"anyOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"b":true}},{"properties":{"c":true},"required":["d"]}],"unevaluatedProperties":{"type":"integer"}}"##,
            nested(#"{"b":1,"c":2,"a":"#, "1", "}", 60)),
        HostileCase(
            "unevaluated elements", most: atBound,
            #"{"anyOf":[{"prefixItems":[true,true]},{"contains":{"type":"string"}},{"minItems":1}],"unevaluatedItems":{"type":"integer"}}"#,
            full { $0 % 2 == 0 ? "\"a\"" : "true" }),
        HostileCase(
            "sets of dynamic anchors", most: atBound,
            ##"{"$id":"https://e.example/r","$dynamicAnchor":"n","anyOf":[{"items":{"$dynamicRef":"t#n"}},{"type":"integer"}],"$defs":{"t":{"$id":"t","$dynamicAnchor":"n","anyOf":[{"items":{"$dynamicRef":"#n"}},{"type":"string"}]}}}"##,
            nested("[", full { $0 % 2 == 0 ? "1" : "[1]" }, "]", 60)),
        HostileCase(
            "contains with many rules", most: atBound,
            "{\"allOf\":\(list((0..<60).map { #"{"contains":{"const":\#($0)},"maxContains":3,"minContains":0}"# }))}",
            full { "\($0 % 64)" }),
        HostileCase(
            "not and oneOf, nested", most: atBound,
            ##"{"$defs":{"a":{"oneOf":[{"not":{"type":"array"}},{"items":{"not":{"not":{"$ref":"#/$defs/a"}}}}]}},"$ref":"#/$defs/a"}"##,
            nested("[", full { $0 % 3 == 0 ? "1" : "[[1]]" }, "]", 50)),
        HostileCase(
            "an enum of 10 000 objects", most: 50,
            "{\"items\":{\"enum\":\(list((0..<10_000).map { #"{"a":\#($0)}"# }))}}",
            full { "{\"a\":\($0 % 10_000)}" }),
        HostileCase(
            "uniqueItems and const at each of 60 levels", most: 50,
            ##"{"uniqueItems":true,"items":{"$ref":"#"},"not":{"const":7}}"##,
            nested("[", full { "\($0)" }, "]", 60)),
        HostileCase(
            "alternatives with constants in many members", most: atBound,
            "{\"oneOf\":\(list((0..<50).map { number in "{\"properties\":\(object((0..<200).map { ("p\($0)", $0 == 0 ? "{\"const\":\(number)}" : "{\"type\":\"null\"}") }))}" }))}",
            fullObject { ("q\($0)", "1") }),
        HostileCase(
            "many faults", most: 50, #"{"items":{"type":"string"},"minItems":500000}"#, full { "\($0)" }),
        HostileCase(
            "the last of many objects is wrong", most: 50,
            #"{"items":{"properties":{"a":{"type":"integer"},"b":{"maxLength":5}},"required":["a"]}}"#,
            full { _ in #"{"a":1,"b":"abc"}"# }.dropLast() + ",{}]"),
        HostileCase(
            "required names of a large object", most: 25,
            "{\"required\":\(list((0..<3000).map { "\"r\($0)\"" }))}", fullObject { ("r\($0 % 2999)", "1") }),
    ]

    private static let texts: [HostileCase] = [
        HostileCase(
            "escapes, for 50 alternatives", most: 25,
            "{\"anyOf\":\(list((0..<50).map { #"{"type":"string","minLength":1000000,"pattern":"^x\#($0)"}"# }))}",
            "\"\(String(repeating: "\\u0041", count: loopBytes / 6 - 1))\""),
        HostileCase(
            "surrogates", most: 25, #"{"minLength":10,"maxLength":1000000,"format":"uri"}"#,
            "\"\(String(repeating: "\\ud83d\\ude00", count: loopBytes / 12 - 1))\""),
        HostileCase(
            "names of escapes", most: 25, #"{"propertyNames":{"maxLength":3},"additionalProperties":false}"#,
            fullObject { _ in ("\\u0041\\u0042", "1") }),
        HostileCase(
            "format regex: nothing but alternatives", most: 50, #"{"format":"regex"}"#,
            "\"\(String(repeating: "a|", count: loopBytes / 2 - 2))\""),
        HostileCase(
            "format regex: classes", most: 50, #"{"format":"regex"}"#,
            "\"\(String(repeating: "[a-z]", count: loopBytes / 5 - 2))\""),
        HostileCase(
            "format regex: names of groups", most: 50, #"{"format":"regex"}"#,
            "\"\((0..<40_000).map { "(?<a\($0)>)" }.joined())\""),
        HostileCase(
            "format regex: lookbehinds of huge length", most: 1, #"{"format":"regex"}"#,
            "\"(?<=\(nested("(?:", "a", "){65535}", 20)))b\""),
        HostileCase(
            "format uri-template", most: 25, #"{"format":"uri-template"}"#,
            "\"\(String(repeating: "{", count: loopBytes - 10))\""),
        HostileCase(
            "format hostname of an A-label at each element", most: 25, #"{"items":{"format":"hostname"}}"#,
            full { _ in "\"xn--99zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\"" }),
        HostileCase(
            "format email", most: 25, #"{"format":"email"}"#,
            "\"\(String(repeating: "a.", count: loopBytes / 2 - 10))a@b\""),
        HostileCase(
            "format iri", most: 25, #"{"format":"iri"}"#,
            "\"a:\(String(repeating: "é", count: loopBytes / 2 - 10))\""),
        HostileCase(
            "format ipv6 at each element", most: 25, #"{"items":{"format":"ipv6"}}"#,
            full { _ in "\"1:2:3:4:5:6:7:8:9:1:2:3:4:5\"" }),
    ]
}
