import Foundation
import JSONBytes
import JSONCoding
import Testing

/// Expects our coders to give the same values, errors, paths and text as Foundation's.
///
/// The coders' documentation lists the known differences. `Outcome` and `Candidate` ignore the differences
/// that occur here.
@Suite("Comparison with Foundation's coders")
struct DifferentialTests {
    @Test("Both decoders decode the documents of each type alike", arguments: Candidate.all)
    func documentsOfEachShapeMeanTheSame(_ candidate: Candidate) {
        for document in candidate.documents {
            let outcomes = candidate.outcomes(Array(document.utf8))
            for outcome in outcomes { #expect(outcome.ours == outcome.theirs, "\(document)") }
        }
        let isRead = candidate.documents.contains { candidate.outcomes(Array($0.utf8)).count > 1 }
        #expect(isRead, "no document is valid for the type")
    }

    @Test("Both decoders decode or reject changed documents alike", arguments: Candidate.all)
    func changedDocumentsMeanTheSame(_ candidate: Candidate) throws {
        var generator = SeededGenerator(seed: 7)
        var failed = 0
        let rounds = 400
        for round in 0..<rounds {
            let document = candidate.documents[round % candidate.documents.count]
            var tree = DocumentTree(try JSONFragment(validating: Array(document.utf8)[...]))
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                tree.change(at: Int.random(in: 0..<tree.count, using: &generator), &generator)
            }
            let text = tree.text(&generator)
            let outcomes = candidate.outcomes(Array(text.utf8))
            for outcome in outcomes { #expect(outcome.ours == outcome.theirs, "\(text)") }
            if case .failure = outcomes[0].ours { failed += 1 }
        }
        #expect(failed > rounds / 20, "too few changes caused errors")
    }
}
