extension GatewayServerConfiguration {
    /// The settings of a gateway by their keys in a file, with the values in use as YAML writes them; nil for
    /// a value that is absent or not one scalar. Secrets are `***`.
    package var settingValues: [(key: String, value: String?)] {
        func values(_ table: SettingTable<GatewayServerConfiguration>) -> [(key: String, value: String?)] {
            table.values(of: self).map { ("\(table.shape.title).\($0.key)", $0.value) }
        }
        let groups: Set = ["version", "listen", "admin", "log", "drain", "limits"]
        return values(.listen) + values(.admin) + values(.log) + values(.drain)
            + SettingTable.file.values(of: self).filter { !groups.contains($0.key) } + values(.limits)
    }
}
