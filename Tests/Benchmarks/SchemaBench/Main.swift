import Foundation
import Glibc
import JSONBytes
import JSONSchema

/// Checks bodies by a schema, from their bytes to the verdict.
///
///     SchemaBench SCHEMA                 reads lines "FILE COUNT", answers with the CPU time of a check in
///                                        microseconds, and whether all were accepted
///     SchemaBench SCHEMA --load COUNT    compiles the schema as often: milliseconds
///     SchemaBench --hostile [NAME]       checks values that are made to cost much, with the time of each
@main
enum SchemaBench {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let path = arguments.first else {
            print("usage: SchemaBench SCHEMA [--load COUNT]\n       SchemaBench --hostile [NAME]")
            exit(2)
        }
        if path == "--hostile" {
            exit(try HostileCase.runAll(arguments.dropFirst().first ?? "") ? 0 : 1)
        }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        if arguments.dropFirst().first == "--load" {
            return try load(text, arguments.last.flatMap { Int($0) } ?? 1000)
        }
        let schema = try JSONSchema(json: text)
        var bodies: [String: [UInt8]] = [:]
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 2, let count = Int(words[1]) else { continue }
            let body = try bodies[words[0]] ?? Array(Data(contentsOf: URL(fileURLWithPath: words[0])))
            bodies[words[0]] = body
            let (seconds, accepted) = measure(schema, body, count)
            print(1e6 * seconds / Double(count), accepted == count)
            fflush(nil)
        }
    }

    private static func measure(_ schema: JSONSchema, _ body: [UInt8], _ count: Int) -> (Double, Int) {
        var accepted = 0
        let start = processorTime()
        for _ in 0..<count {
            guard let value = try? JSONFragment(validating: body[...]) else { continue }
            if schema.accepts(value) { accepted += 1 }
        }
        return (processorTime() - start, accepted)
    }

    private static func load(_ text: String, _ count: Int) throws {
        let start = processorTime()
        var schemas: [JSONSchema] = []
        for _ in 0..<count { schemas.append(try JSONSchema(json: text)) }
        let milliseconds = 1000 * (processorTime() - start)
        print("\(count) schemas of \(text.utf8.count) bytes: \(milliseconds) ms")
    }

    static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
