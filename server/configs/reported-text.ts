import type { PromptName } from './configs.sql.ts'

/** Names that a rule may use, like `ToolName` of packages/wire. */
const CANONICAL = /^[a-z0-9_-]{1,64}$/
/** More than a user reads; no config has this many in one section. */
const MOST_TOOLS = 200

/** Converts `WebFetch` to `web_fetch`. Null: nothing is left of the name. */
function toCanonicalName(name: string): string | null {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
  const plain = words
    .replace(/[^a-z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 64)
  return CANONICAL.test(plain) ? plain : null
}

/** Gives an alias to a name that rules cannot use. Of two names with the same alias, the second is omitted. */
export function reportedText({ ns, key }: PromptName, called: readonly string[]): string {
  const names = called.slice(0, MOST_TOOLS)
  const tools = new Set(names.filter((name) => CANONICAL.test(name)))
  const aliases: Record<string, string> = {}
  for (const name of names) {
    const plain = CANONICAL.test(name) ? null : toCanonicalName(name)
    if (plain === null || tools.has(plain) || name === '__proto__') continue
    tools.add(plain)
    aliases[name] = plain
  }
  const document = {
    schema_version: 1,
    ns,
    key,
    ...(Object.keys(aliases).length === 0 ? {} : { aliases }),
    ...(tools.size === 0 ? {} : { sections: [{ id: 'tools', tools: [...tools].toSorted() }] }),
  }
  return `${JSON.stringify(document, null, 2)}\n`
}
