/** File whose text is the error of the check; undefined: the check fails without one, or passes. */
export function findFailureFile(check: string): string | undefined {
  return check.split('fails with ')[1]
}

/** A shell command that ends as the check of a script. */
export function toCheckCommand(check: string): string {
  if (check === 'passes') return 'true'
  const file = findFailureFile(check)
  return file === undefined ? 'exit 3' : `cat '${file}'; exit 3`
}
