/** A shell command that ends as the check of a script. */
export function toCheckCommand(check: string): string {
  if (check === 'passes') return 'true'
  const [, file] = check.split('fails with ')
  return file === undefined ? 'exit 3' : `cat '${file}'; exit 3`
}
