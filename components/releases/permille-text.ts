export function permilleText(share: number): string {
  return `${share / 10}%`
}
