import HTTPModel
import JSONBytes
import JSONSchema

@testable import OpenAPI

// No description traps or hangs the reader, and no message the check. A fault has a place, and a value where
// it says. Names that a contract gives are found. The input is a description, a line feed, and a message: a
// line with the target of a request, and a body.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOpenAPI(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let parts = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    let text = parts[0]
    let target = parts.count > 1 ? parts[1] : []
    let body = parts.count > 2 ? parts[2] : []
    do throws(JSONSchemaError) {
        // The description is also the document to which its references lead.
        let document = try OpenAPIDocument("api.json") {
            $0 == "api.json" || $0 == "b.json" ? .json(text) : nil
        }
        checkIndex(document.operations)
        let contract = try OpenAPIContract(document, operations: document.operations.operations)
        for operation in contract.operations { check(operation, target, body) }
    } catch {
        for problem in error.problems {
            guard problem.place.line >= 1, problem.place.column >= 1, !problem.message.isEmpty else {
                fatalError("a problem has no place: \(problem)")
            }
        }
        guard !error.problems.isEmpty else { fatalError("an error without a problem") }
    }
    return 0
}

private func checkIndex(_ index: OperationIndex) {
    for operation in index.operations {
        // A call that is written as the path is, with values for its parameters, has an operation.
        let path = CallPath(operation.path.text)
        guard index.find(operation.method, path) != nil else { fatalError("\(operation.name) is not found") }
        _ = index.unknown("GET", path)
    }
}

private func check(_ contract: OperationContract, _ target: ArraySlice<UInt8>, _ body: ArraySlice<UInt8>) {
    let pieces = target.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    var fields = HTTPFields()
    fields.append("Content-Type", "application/json")
    for parameter in contract.request.parameters where parameter.location == .field {
        if let name = HTTPFieldName(parameter.name) { fields.append(name, bytes: target) }
    }
    let request = ContractRequest(
        path: pieces[0], query: pieces.count > 1 ? pieces[1] : nil, fields: fields,
        body: body.isEmpty ? .none : .bytes(body))
    checkFaults(contract.request.faults(of: request), body)
    for status in [200, 204, 404, 500] {
        let response = ContractResponse(
            status: status, fields: fields, body: body.isEmpty ? .none : .bytes(body))
        checkFaults(contract.response.faults(of: response), body)
    }
    for parameter in contract.request.parameters {
        guard contract.unknown(parameter.name, in: parameter.location) == nil else {
            fatalError("\(parameter.name) is not known")
        }
        let text = String(decoding: target, as: UTF8.self)
        _ = contract.faults(ofConstants: [text], for: parameter.name, in: parameter.location)
    }
    _ = contract.missing(query: [], fields: [], hasBody: false)
    if let pointer = try? JSONPointer(String(decoding: target, as: UTF8.self)) {
        _ = contract.unsatisfied(pointer)
    }
    _ = contract.unsatisfied([.all, .index(0), .name([0x61])], shown: "a")
}

private func checkFaults(_ faults: [ContractFault], _ body: ArraySlice<UInt8>) {
    for fault in faults {
        guard fault.place.line >= 1, !fault.keyword.isEmpty, !fault.rule.isEmpty else {
            fatalError("a fault has no place: \(fault)")
        }
        guard fault.subject == .body, !fault.at.isEmpty else { continue }
        guard let value = try? JSONFragment(validating: body), let pointer = try? JSONPointer(fault.at),
            value.value(at: pointer) != nil
        else { fatalError("no value is at \(fault.at)") }
    }
}
