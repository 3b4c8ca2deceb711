/** Numbers for tool names, so that a row has lists instead of maps. */
export interface ToolNames {
  number(tool: string): number
  list(): readonly string[]
}

export function numberTools(): ToolNames {
  const numbers = new Map<string, number>()
  return {
    number: (tool) => {
      const known = numbers.get(tool)
      if (known !== undefined) return known
      const next = numbers.size
      numbers.set(tool, next)
      return next
    },
    list: () => [...numbers.keys()],
  }
}
