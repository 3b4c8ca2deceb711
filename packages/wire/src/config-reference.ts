// `ns/key@version`, the address of a version. `ns` may hold `/`; neither holds `@`.

export interface VersionReference {
  readonly ns: string
  readonly key: string
  readonly version: number
}

/** null: the text has another form. */
export function parseVersionReference(text: string): VersionReference | null {
  const [, ns, key, version] = /^(.+)\/([^/@]+)@([1-9][0-9]{0,8})$/.exec(text) ?? []
  return ns === undefined || key === undefined ? null : { ns, key, version: Number(version) }
}

export function formatVersionReference({ ns, key, version }: VersionReference): string {
  return `${ns}/${key}@${version}`
}
