/** Returns a name as the words of a label, such as "No checker" for `no_checker`. */
export function toLabel(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')
}
