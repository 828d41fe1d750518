import JSONBytes
import Locking
import Testing

@testable import JSONSchema

@Suite("Bounds of schemas and checks")
struct BoundTests {
    private func options(_ change: (inout SchemaBounds) -> Void) -> SchemaOptions {
        var options = SchemaOptions()
        change(&options.bounds)
        return options
    }

    // MARK: - Documents

    private func read(_ text: String, _ change: (inout SchemaDocument.Limits) -> Void) -> String? {
        var limits = SchemaDocument.Limits()
        change(&limits)
        do throws(SchemaProblem) {
            _ = try SchemaDocument(json: Array(text.utf8)[...], named: "a.json", limits: limits)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("A document has a bound of bytes, levels and values")
    func documentBounds() {
        let large = "{\"a\":\"" + String(repeating: " ", count: 1 << 20) + "\"}"
        #expect(read(large) { $0.bytes = 1 << 20 } == "a.json:1:1: error: a document has at most 1 MiB")
        #expect(read(large) { $0.bytes = 2 << 20 } == nil)
        let deep = String(repeating: "[", count: 129) + String(repeating: "]", count: 129)
        #expect(read(deep) { _ in } == "a.json:1:129: error: a document has at most 128 levels")
        #expect(read(String(deep.dropFirst().dropLast())) { _ in } == nil)
        #expect(read("[1,\n 2,3]") { $0.nodes = 3 } == "a.json:2:4: error: a document has at most 3 values")
        #expect(read("[1,\n 2,3]") { $0.nodes = 4 } == nil)
        let limits = SchemaDocument.Limits()
        #expect(limits.bytes == 32 << 20 && limits.levels == 128 && limits.nodes == 1_000_000)
    }

    @Test("A schema reads a bounded number of documents")
    func documentCount() {
        let documents = Dictionary(
            uniqueKeysWithValues: (0..<5).map { ("schema:///\($0)", #"{"$ref":"\#($0 + 1)"}"#) }
        ).merging(["schema:///5": "true"]) { first, _ in first }
        let found = problems(#"{"$ref":"0"}"#, documents: documents, options { $0.documents = 6 })
        #expect(found.contains("schema:///4:1:9: error: $ref: a schema reads at most 6 documents"))
        #expect(problems(#"{"$ref":"0"}"#, documents: documents, options { $0.documents = 7 }).isEmpty)
        #expect(SchemaBounds().documents == 4096)
    }

    @Test("A pattern has at most 8 KiB, and an enum at most 10 000 values")
    func wordBounds() {
        let letters = String(repeating: "a", count: 8 << 10)
        #expect(
            problems(#"{"pattern":"\#(letters)a"}"#) == [
                "1:12: error: pattern: a pattern has at most 8192 bytes"
            ])
        #expect(problems(#"{"pattern":"\#(letters)"}"#).isEmpty)
        let values = (0..<10_000).map { "\($0)" }.joined(separator: ",")
        #expect(problems(#"{"enum":[\#(values),-1]}"#) == ["1:9: error: enum has at most 10000 values"])
        #expect(problems(#"{"enum":[\#(values)]}"#).isEmpty)
    }

    @Test("A plan has a bounded number of nodes, even if schemas multiply")
    func planBounds() {
        // Each level holds two schemas together, so that the sets of schemas are many.
        let parts = (0..<14).map {
            ##"{"properties":{"a":{"$ref":"#/$defs/\##($0)"},"b":{"$ref":"#/$defs/\##(($0 + 1) % 14)"}}}"##
        }
        let defs = (0..<14).map { number in
            ##""\##(number)":{"allOf":[{"minimum":\##(number)},{"properties":{"a":{"$ref":"#/$defs/\##((number * 3 + 1) % 14)"},"b":{"$ref":"#/$defs/\##((number * 5 + 2) % 14)"}}}]}"##
        }
        let schema =
            #"{"allOf":[\#(parts.joined(separator: ","))],"$defs":{\#(defs.joined(separator: ","))}}"#
        #expect(
            problems(schema, options { $0.nodes = 50 }).last?.hasSuffix(
                "error: a schema makes at most 50 nodes")
                == true
                || problems(schema, options { $0.nodes = 50 }).last?.hasSuffix("at most 50 parts") == true)
        #expect(problems(schema).isEmpty)
        #expect(SchemaBounds().nodes == 100_000)
    }

    @Test("Schemas for one value are nested at most 512 deep")
    func levels() {
        func chain(_ count: Int) -> String {
            let defs =
                (0..<count).map { ##""\##($0)":{"not":{"$ref":"#/$defs/\##($0 + 1)"}}"## } + [
                    ##""\##(count)":true"##
                ]
            return ##"{"$ref":"#/$defs/0","$defs":{\##(defs.joined(separator: ","))}}"##
        }
        #expect(problems(chain(300)).count == 1)
        #expect(
            problems(chain(300)).first?.contains("at most 512 schemas may be nested for one value") == true)
        #expect(problems(chain(200)).isEmpty)
    }

    // MARK: - Work

    @Test("A check takes at most 100 000 steps and 4 a byte, and never more than 4 000 000")
    func workOfBytes() {
        let bounds = SchemaBounds()
        #expect(bounds.work(for: 0) == 100_000)
        #expect(bounds.work(for: 1000) == 104_000)
        #expect(bounds.work(for: 1 << 30) == 4_000_000)
    }

    @Test("A value that takes more work is refused, with the keyword cost")
    func tooMuchWork() throws {
        var bounds = SchemaBounds()
        bounds.work = 50
        bounds.workOfByte = 0
        let value = "[" + (0..<100).map { "\($0)" }.joined(separator: ",") + "]"
        let schema = #"{"items":{"type":"integer"}}"#
        #expect(try measured(schema, value, bounds: bounds).verdict == .tooMuchWork)
        let strict = try JSONSchema(json: schema, options: options { $0 = bounds })
        let faults = strict.faults(in: try JSONFragment(parsing: value))
        #expect(faults.map(\.keyword) == ["cost"] && faults.map(\.instance) == [""])
        #expect(!strict.accepts(try JSONFragment(parsing: value)))
        bounds.work = 150
        #expect(try measured(schema, value, bounds: bounds).verdict == .accepted)
    }

    @Test(
        "The work of a check is counted for names, digests and composed schemas, too",
        arguments: [
            (#"{"additionalProperties":true,"required":["a"]}"#, #"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}"#),
            (#"{"uniqueItems":true}"#, "[1,2,3,4,5,6]"), (#"{"const":[1,2,3,4,5,6]}"#, "[1,2,3,4,5,6]"),
            (
                #"{"anyOf":[{"minItems":1},{"minItems":2},{"minItems":3},{"minItems":4},{"minItems":5}]}"#,
                "[1,2,3,4,5]"
            ),
            (#"{"minProperties":2}"#, #"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}"#),
        ])
    func countedWork(schema: String, value: String) throws {
        var bounds = SchemaBounds()
        bounds.work = 5
        bounds.workOfByte = 0
        #expect(try measured(schema, value, bounds: bounds).verdict == .tooMuchWork)
        #expect(try measured(schema, value).verdict == .accepted)
    }
}

@Suite("Hostile values and schemas, by the work that they take")
struct HostileTests {
    @Test("Recursive alternatives take work in proportion to the value, 64 deep")
    func recursiveAlternatives() throws {
        let schema =
            ##"{"anyOf":[{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a","x"]},{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a","y"]},{"type":"integer"}]}"##
        var works: [Int] = []
        for depth in [16, 32, 64] {
            let value =
                String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
            let result = try measured(schema, value)
            #expect(result.verdict == .refused)
            works.append(result.work)
        }
        #expect(works[2] < 64 * 20)
        #expect(works[2] - works[1] <= 2 * (works[1] - works[0]) + 64)
    }

    @Test("500 000 elements are compared in linear work")
    func uniqueItems() throws {
        let count = 500_000
        let value = "[" + (0..<count).map { "\($0)" }.joined(separator: ",") + "]"
        let result = try measured(#"{"uniqueItems":true}"#, value)
        #expect(result.verdict == .accepted)
        #expect(result.work < 3 * count)
        let few = count / 50
        let twice = "[" + (0..<few).map { "\($0 % (few - 1))" }.joined(separator: ",") + "]"
        #expect(try measured(#"{"uniqueItems":true}"#, twice).verdict == .refused)
        let equal = "[" + repeatElement("0", count: few).joined(separator: ",") + "]"
        #expect(try measured(#"{"uniqueItems":true}"#, equal).verdict == .refused)
    }

    @Test("100 000 names with equal first bytes find their schemas in linear work")
    func equalPrefixes() throws {
        let names = (0..<2_000).map { "\"equal-beginning-\($0)\"" }
        let schema = #"{"properties":{\#(names.map { "\($0):{\"type\":\"null\"}" }.joined(separator: ","))}}"#
        let value = "{" + (0..<100_000).map { "\"equal-beginning-\($0)\":null" }.joined(separator: ",") + "}"
        let result = try measured(schema, value)
        #expect(result.verdict == .accepted)
        #expect(result.work < 3 * 100_000)
        #expect(try measured(schema, #"{"equal-beginning-1999":1}"#).verdict == .refused)
    }

    @Test("A number of 256 digits with a huge exponent is compared and divided by its digits")
    func hugeNumbers() throws {
        let digits = String(repeating: "7", count: 200)
        let schema = #"{"multipleOf":7,"minimum":1}"#
        #expect(try measured(schema, "\(digits)e999999999999999999999999999999").verdict == .accepted)
        #expect(try measured(schema, "\(digits)1e999999999999999999999999999999").verdict == .refused)
        #expect(try measured(schema, "\(digits)e-999999999999999999999999999999").verdict == .refused)
    }

    @Test("Patterns, formats and alternatives at every member stay within the bound of work")
    func everyMember() throws {
        let patterns = (0..<200).map { "\"^(a|b)*\($0)$\":{\"minimum\":\($0)}" }.joined(separator: ",")
        let schema = ##"{"patternProperties":{\##(patterns)},"additionalProperties":{"$ref":"#"}}"##
        let value = "{" + (0..<20_000).map { "\"abababab\($0 % 200)x\":{}" }.joined(separator: ",") + "}"
        let result = try measured(schema, value)
        #expect(result.verdict == .tooMuchWork || result.verdict == .patternTooCostly)
        #expect(result.work <= SchemaBounds().work(for: value.utf8.count) + 1000)
    }

    @Test("A failed alternative is skipped again at most once a level")
    func skippedAgain() throws {
        let schema = ##"{"anyOf":[{"items":{"$ref":"#"}},{"const":1}],"not":{"const":2}}"##
        let inner = "[" + repeatElement("1", count: 20_000).joined(separator: ",") + ",2]"
        let value = String(repeating: "[", count: 40) + inner + String(repeating: "]", count: 40)
        let result = try measured(schema, value)
        #expect(result.verdict == .refused)
        #expect(result.work < 20 * 20_000)
    }

    @Test("A name with many kept sets of unevaluated members stays within the bound of work")
    func keptSets() throws {
        let branches = (0..<100).map { #"{"properties":{"a\#($0)":true,"b":true},"required":["r\#($0)"]}"# }
        let schema =
            #"{"anyOf":[\#(branches.joined(separator: ",")),{"minProperties":1}],"unevaluatedProperties":false}"#
        let value = "{" + (0..<100).map { "\"a\($0)\":1" }.joined(separator: ",") + "}"
        #expect(try measured(schema, value).verdict == .refused)
        #expect(try measured(schema, #"{"a1":1,"r1":1}"#).verdict == .refused)
        #expect(try measured(schema, #"{"a1":1,"b":1}"#).verdict == .refused)
    }

    @Test("Kept sets of an object cost nothing at the objects in it")
    func keptSetsOfOuterObjects() throws {
        let schema =
            ##"{"$ref":"#/$defs/o","$defs":{"o":{"type":"object","anyOf":[{"patternProperties":{"^a":true}},{"patternProperties":{"^b":true}},{"patternProperties":{"^c":{"$ref":"#/$defs/o"}}}],"unevaluatedProperties":false}}}"##
        func work(_ count: Int) throws -> Int {
            let members = (0..<count).map { "\"a\($0)\":1,\"b\($0)\":1,\"c\($0)\":{\"a\":1,\"b\":1}" }
            let result = try measured(schema, "{\(members.joined(separator: ","))}")
            #expect(result.verdict == .accepted)
            return result.work
        }
        let (small, large) = (try work(200), try work(800))
        #expect(large < 5 * small)
    }

    @Test("A text with the format regex is parsed up to 64 KiB")
    func longRegex() throws {
        func verdict(_ count: Int) throws -> SchemaRun.Verdict {
            let text = "\"" + String(repeating: "a", count: count) + "\""
            // White space pays for the work.
            let padding = String(repeating: " ", count: 100_000)
            return try measured(#"{"items":{"format":"regex"}}"#, "[\(text)\(padding)]").verdict
        }
        #expect(try verdict(ECMAPattern.longestText) == .accepted)
        #expect(try verdict(ECMAPattern.longestText + 1) == .patternTooCostly)
    }

    @Test("Texts with escapes are decoded once for all alternatives")
    func escapesOfAlternatives() throws {
        let branches = (0..<50).map { #"{"type":"string","maxLength":\#($0 + 1)}"# }.joined(separator: ",")
        let text = "\"" + String(repeating: "\\u0041", count: 20_000) + "\""
        let result = try measured(#"{"anyOf":[\#(branches)]}"#, text)
        #expect(result.verdict == .refused)
        #expect(try measured(#"{"anyOf":[\#(branches)]}"#, #""\u0041\ud83d\ude00""#).verdict == .accepted)
    }
}

@Suite("Bounds of explanations")
struct ExplanationBoundTests {
    /// The processor time of the faults of a value.
    private func time(_ schema: String, _ value: String) throws -> (faults: [SchemaFault], Duration) {
        let schema = try JSONSchema(json: schema)
        let value = try JSONFragment(parsing: value)
        let start = ThreadClock.now
        let faults = schema.faults(in: value)
        return (faults, ThreadClock.now - start)
    }

    @Test("All names share the time of patterns, when faults are told, too")
    func namesWithPatterns() throws {
        let letters = String(repeating: "b", count: 5000)
        let names = (0..<300).map { "\"\(letters)\($0)-\":1" }.joined(separator: ",")
        let (faults, time) = try time(
            #"{"properties":{"a":{"type":"null"}},"propertyNames":{"pattern":"^a$|[a-z]*[a-z][0-9]-$"}}"#,
            #"{"a":1,\#(names)}"#)
        #expect(faults.map(\.instance) == ["/a"])
        // 20 ms of patterns. Each name had 20 ms before.
        #expect(time < .seconds(1))
    }

    @Test("Twenty faults end the explanation")
    func manyFaults() throws {
        let elements = repeatElement("1", count: 100_000).joined(separator: ",")
        let (faults, time) = try time(#"{"items":{"type":"string"}}"#, "[\(elements)]")
        #expect(faults.map(\.instance) == (0..<20).map { "/\($0)" })
        #expect(time < .seconds(2))
    }

    @Test("The values before a fault are not examined again")
    func lastIsWrong() throws {
        let elements = repeatElement(#"{"a":1,"b":[1,2,{"c":3}]}"#, count: 15_000).joined(separator: ",")
        let schema =
            #"{"items":{"required":["a"],"properties":{"a":{"type":"integer"},"b":{"items":{"properties":{"c":{"minimum":1}}}}}}}"#
        let (faults, _) = try time(schema, "[\(elements),{\"a\":1,\"b\":[1,{\"c\":0}]},{}]")
        #expect(faults.map { "\($0.instance) \($0.keyword)" } == ["/15000/b/1/c minimum", "/15001 required"])
    }

    @Test(
        "What the run has passed is left out of the explanation only if it holds",
        arguments: [
            (#"{"properties":{"a":{"type":"null"},"b":{"type":"null"}}}"#, #"{"c":1,"a":1,"b":1}"#),
            (#"{"minItems":3,"items":{"type":"null"}}"#, "[null,null]"),
            (#"{"items":{"anyOf":[{"type":"null"},{"minimum":1}]}}"#, "[null,1,0,null,0]"),
            (#"{"required":["z"],"additionalProperties":{"const":1}}"#, #"{"a":1,"b":1}"#),
            (
                #"{"propertyNames":{"maxLength":1},"additionalProperties":{"const":1}}"#,
                #"{"a":1,"bc":2,"d":2}"#
            ),
            (#"{"oneOf":[{"type":"array","items":{"const":1}},{"type":"null"}]}"#, "[1,1,2,1,2]"),
            (#"{"properties":{"a":true},"unevaluatedProperties":false}"#, #"{"a":1,"b":1,"c":1}"#),
            (
                #"{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":{"const":1}}"#,
                #"{"a":0,"b":1,"c":2}"#
            ),
            (#"{"prefixItems":[true],"unevaluatedItems":{"const":1},"uniqueItems":true}"#, "[0,1,2,2]"),
        ])
    func sameFaults(schema: String, value: String) throws {
        let schema = try JSONSchema(json: schema)
        let value = try JSONFragment(parsing: value)
        #expect(!schema.accepts(value))
        #expect(schema.faults(in: value) == schema.explanation(of: value))
    }
}
