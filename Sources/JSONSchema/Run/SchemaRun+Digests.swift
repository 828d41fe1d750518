import ASCIIText
@_spi(Reading) import JSONBytes

extension SchemaRun {
    mutating func takeDigester(at index: Int) -> DigestReader {
        var digester = DigestReader(
            cursor: ValidCursor(cursor.reader, at: index), work: work, members: [], decoded: [])
        swap(&digester.members, &scratch.members)
        swap(&digester.decoded, &scratch.otherDecoded)
        return digester
    }

    mutating func giveBack(_ digester: inout DigestReader) {
        work = digester.work
        swap(&digester.members, &scratch.members)
        swap(&digester.decoded, &scratch.otherDecoded)
    }

    /// The digest of the value at the cursor, which stays there.
    mutating func digest() -> ValueDigest {
        var digester = takeDigester(at: cursor.index)
        let digest = digester.digest()
        giveBack(&digester)
        return digest
    }

    /// Whether the value at the cursor is in all lists of values of a node.
    mutating func hasValue(_ node: SchemaPlan.Node) -> Bool {
        // First, because an argument that changes the run would copy the run.
        let digest = digest()
        return isAllowed(digest, by: node)
    }

    func isAllowed(_ digest: ValueDigest, by node: SchemaPlan.Node) -> Bool {
        for span in tables.valueSets[node.values.range] {
            var (low, high) = (Int(span.start), Int(span.start &+ span.count))
            while low < high {
                let middle = (low &+ high) / 2
                if tables.digests[middle] < digest { low = middle &+ 1 } else { high = middle }
            }
            guard low < Int(span.start &+ span.count), tables.digests[low] == digest else { return false }
        }
        return true
    }
}
