/** In a file of its own, because the dialog is a lazy chunk. */
export const HISTORY_LIST = 'list'
