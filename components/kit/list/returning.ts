// True while the reader came to the page by Back or Forward and has not acted on it yet.

let isOnReturn = false

export function beginReturn(): void {
  isOnReturn = true
}

export function endReturn(): void {
  isOnReturn = false
}

export const isReturning = (): boolean => isOnReturn
