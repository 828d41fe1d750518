import Foundation
import HTTPModel
import JSONBytes
import JSONSchema
import OpenAPI

// Reads descriptions of APIs for Tests/contracts, and judges requests and responses by them.
//
//     ContractSuite load FOLDER ENTRY CALLS    the time that a load takes, and its problems
//     ContractSuite judge                      verdicts on the lines of the standard input

@main
enum Main {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "load" where arguments.count == 4: try load(arguments[1], arguments[2], Int(arguments[3]) ?? 0)
        case "judge" where arguments.count == 1: try runJudge()
        default:
            print("usage: ContractSuite load FOLDER ENTRY CALLS | ContractSuite judge")
            exit(2)
        }
    }

    private static func runJudge() throws {
        var judge = Judge()
        try judge.run()
    }

    /// Prints what a load took: one line, after the errors.
    private static func load(_ folder: String, _ entry: String, _ calls: Int) throws {
        let clock = ContinuousClock()
        let start = clock.now
        do throws(JSONSchemaError) {
            let document = try OpenAPIDocument(entry) { uri in
                let url = URL(fileURLWithPath: folder).appendingPathComponent(uri)
                return (try? Data(contentsOf: url)).map { .json(Array($0)[...]) }
            }
            let read = clock.now - start
            let all = document.operations.operations
            // Calls are spread over the whole document.
            let step = max(1, all.count / max(1, calls))
            let called = Array(stride(from: 0, to: all.count, by: step).map { all[$0] }.prefix(calls))
            let contract = try OpenAPIContract(document, operations: called)
            let total = clock.now - start
            print(
                "read \(milliseconds(read)) ms, all \(milliseconds(total)) ms,",
                "\(called.count) of \(all.count) operations, \(contract.nodes) nodes,",
                "\(document.documents.count) documents, \(document.warnings.count + contract.warnings.count) warnings"
            )
        } catch {
            for problem in error.problems.prefix(20) { print(problem) }
            print("\(error.problems.count) errors")
            exit(1)
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int(duration / .milliseconds(1))
    }
}

/// Judges messages. A line is a description, which holds for the lines after it, a request or a response.
/// For each description it prints `ok` or its errors, for each message the faults, or `ok`.
private struct Judge {
    private var operations: OperationIndex?
    private var contracts: [String: OperationContract] = [:]

    mutating func run() throws {
        while let line = readLine(strippingNewline: true) {
            let value = try JSONFragment(
                validating: Array(line.utf8)[...], limits: JSONLimits(maxDepth: 128, maxNumberLength: 1000))
            let answer =
                if let description = value.value(at: "/description") {
                    read(description)
                } else if let request = value.value(at: "/request") {
                    judge(request, isResponse: false)
                } else if let response = value.value(at: "/response") {
                    judge(response, isResponse: true)
                } else {
                    "neither a description, a request nor a response"
                }
            let text = answer.split(separator: "\n").joined(separator: "; ")
            FileHandle.standardOutput.write(Data("\(text)\n".utf8))
        }
    }

    private mutating func read(_ description: JSONFragment) -> String {
        contracts = [:]
        operations = nil
        do throws(JSONSchemaError) {
            let document = try OpenAPIDocument("api.json") { uri in
                uri == "api.json" ? .json(description.bytes) : nil
            }
            let contract = try OpenAPIContract(document, operations: document.operations.operations)
            operations = document.operations
            for operation in contract.operations { contracts[operation.operation.name] = operation }
            return "ok"
        } catch {
            return error.description
        }
    }

    private func judge(_ message: JSONFragment, isResponse: Bool) -> String {
        func text(_ pointer: JSONPointer) -> String? { message.value(at: pointer)?.stringValue }
        guard let operations, let method = text("/method"), let path = text("/path") else {
            return "no description"
        }
        let plain = CallPath(path)
        guard let found = operations.find(method, plain), let contract = contracts[found.operation.name]
        else {
            return "no operation"
        }
        var fields = HTTPFields()
        for (name, value) in message.value(at: "/fields")?.members ?? [] {
            guard let name = HTTPFieldName(name), let value = value.stringValue else { continue }
            fields.append(name, value)
        }
        let body = text("/body").map { ContractBody.bytes(Array($0.utf8)[...]) } ?? .none
        let faults: [ContractFault]
        if isResponse {
            let status = message.value(at: "/status")?.intValue ?? 0
            faults = contract.response.faults(
                of: ContractResponse(status: status, fields: fields, body: body, isForHead: method == "HEAD"))
        } else {
            faults = contract.request.faults(
                of: ContractRequest(
                    path: Array(path.utf8)[...], skipped: found.skipped,
                    query: text("/query").map { Array($0.utf8)[...] },
                    fields: fields, body: body))
        }
        return faults.isEmpty ? "ok" : faults.map(\.description).joined(separator: "; ")
    }
}
