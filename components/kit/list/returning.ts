// Whether the page was come to by Back or Forward, and its reader has done nothing on it yet.

let isOnReturn = false

export function beginReturn(): void {
  isOnReturn = true
}

export function endReturn(): void {
  isOnReturn = false
}

export const isReturning = (): boolean => isOnReturn
