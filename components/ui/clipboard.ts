/** False: the browser refused. Without HTTPS it has no clipboard, except on localhost. Never rejects. */
export async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
