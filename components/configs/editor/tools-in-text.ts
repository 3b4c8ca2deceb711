import type { Node } from 'jsonc-parser'

const TOOL = /^[a-z0-9_-]{1,64}$/

interface Named {
  readonly tool: unknown
  readonly isDeclared: boolean
}

export function toolsIn(tree: Node | undefined): readonly string[] {
  const found = [...propertiesUnder(tree)].flatMap(listToolsInProperty)
  const names = (isDeclared: boolean): readonly string[] =>
    found.flatMap((one) =>
      one.isDeclared === isDeclared && typeof one.tool === 'string' && TOOL.test(one.tool)
        ? [one.tool]
        : [],
    )
  return [...new Set([...[...names(true)].sort(), ...[...names(false)].sort()])]
}

function* propertiesUnder(node: Node | undefined): Generator<Node> {
  if (node?.type === 'property') yield node
  for (const child of node?.children ?? []) yield* propertiesUnder(child)
}

function listToolsInProperty(property: Node): readonly Named[] {
  const [key, value] = property.children ?? []
  const members = value?.children ?? []
  const named = (nodes: readonly (Node | undefined)[], isDeclared = false): readonly Named[] =>
    nodes.map((node) => ({ tool: node?.value, isDeclared }))
  switch (key?.value) {
    case 'tools':
      return named(members, !isInRule(property))
    case 'read_tools':
    case 'write_tools':
    case 'after':
      return named(members)
    case 'tool':
      return named([value])
    case 'aliases':
      return named(
        members.map(({ children }) => children?.[1]),
        true,
      )
    case 'dependencies':
      return named(
        members.flatMap(({ children = [] }) => [children[0], ...(children[1]?.children ?? [])]),
      )
    default:
      return []
  }
}

/** Rules have a type, even while it is being typed; sections have none. */
function isInRule({ parent }: Node): boolean {
  return (parent?.children ?? []).some(({ children }) => children?.[0]?.value === 'type')
}
